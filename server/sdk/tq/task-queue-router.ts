/** Task API as a handler of Node requests, for Express or a plain Node server. */
import type { IncomingMessage, ServerResponse } from 'node:http'
import { limits } from '../../../shared/limits.ts'
import type { Queue } from '../../../shared/queue.ts'
import { defineVerbs, type QueueVerbs } from '../../../shared/verbs/verbs.ts'
import { readJson, requireJsonBody } from '../../http/requests/read-json.ts'
import { handleNodeRequest } from '../../http/rest/node-handler.ts'
import { type TaskVerbs, tasksAdapter } from '../../http/rest/tasks.ts'

/** Options of `createTaskQueueRouter`. */
export interface TaskQueueRouterOptions {
  /** Path prefix to remove from the URL unless the framework does, such as `/api/task-queue`. */
  readonly prefix?: string
  /** Maximum size of a request body. Default: 8 MiB. A body parser in front of the router applies its own limit first. */
  readonly maxBodyBytes?: number
  /** Receives internal errors. Default: `process.emitWarning`. */
  readonly onError?: (error: unknown) => void
}

/** Resolves when the response is sent, and never rejects. */
export type NodeHandler = (request: IncomingMessage, response: ServerResponse) => Promise<void>

/** The methods of a queue that the task API uses. */
export type TaskQueueVerbs = Pick<Queue, Exclude<keyof TaskVerbs, 'stored'>>

export const TASK_VERBS = [
  ...(['enqueue', 'get', 'list', 'retry', 'cancel', 'remove', 'cleanup'] as const),
  ...(['stats', 'pause', 'resume', 'updateSettings'] as const),
] as const

/** Checks no token: authentication is up to the host application. */
export function taskRouter(
  queue: TaskQueueVerbs,
  { prefix = '', maxBodyBytes = limits.bodyBytes, onError = warn }: TaskQueueRouterOptions = {},
): NodeHandler {
  const source: Pick<QueueVerbs, (typeof TASK_VERBS)[number]> = queue
  const verbs: TaskVerbs = {
    ...defineVerbs(TASK_VERBS, (name, ...args) => source[name](...args)),
    stored: (input) => queue.get(input),
  }
  return async (request, response) => {
    const readJsonBody = async () => {
      requireJsonBody(request)
      return readJson(request, maxBodyBytes)
    }
    const exchange = { request, response, prefix, readJson: readJsonBody, report: onError }
    await handleNodeRequest(exchange, (restRequest) => tasksAdapter(verbs, restRequest))
  }
}

function warn(error: unknown): void {
  process.emitWarning(error instanceof Error ? error : String(error))
}
