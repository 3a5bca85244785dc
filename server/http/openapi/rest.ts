/** The REST faces, as their description needs them. What they check by hand, in words of their own, is told as schemas. */
import type { z } from 'zod'
import { healthOperations } from './health.ts'
import { jsonQueueOperations, queueJob } from './json-queue.ts'
import { message, messageOperations } from './messages.ts'
import type { Operation } from './operation.ts'
import { refusal } from './rest-parts.ts'
import { task, taskCounts, taskOperations } from './tasks.ts'

export const restComponents: Readonly<Record<string, z.ZodType>> = {
  Refusal: refusal,
  QueueJob: queueJob,
  Message: message,
  Task: task,
  TaskCounts: taskCounts,
}

export const restOperations: readonly Operation[] = [
  ...jsonQueueOperations,
  ...messageOperations,
  ...taskOperations,
  ...healthOperations,
]
