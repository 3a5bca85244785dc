/** The task face for an application of your own: Express middleware, or a handler for plain Node requests. */
import type { IncomingMessage, ServerResponse } from 'node:http'
import { limits } from '../../../shared/limits.ts'
import type { Queue } from '../../queue/queue.ts'
import { readJson, requireJsonBody } from '../requests/json-body.ts'
import { carry } from './node-handler.ts'
import { type TaskVerbs, tasksFace } from './tasks.ts'

/** How to mount the task API. */
export interface TaskQueueRouterOptions {
  /** What to leave off the front of the address where no framework does: `/api/task-queue`. */
  readonly prefix?: string
  /** The largest request it reads; default 8 MiB. A body parser in front of it applies its own limit first. */
  readonly maxBodyBytes?: number
  /** Faults of ours; default: a warning of the process. */
  readonly onError?: (error: unknown) => void
}

/** Resolves when it has answered, and never rejects. */
export type NodeHandler = (request: IncomingMessage, response: ServerResponse) => Promise<void>

/** What the task API needs of a queue. */
export type TaskQueueVerbs = Pick<Queue, Exclude<keyof TaskVerbs, 'stored'>>

/** It checks no token: the application decides who may call. */
export function taskRouter(
  queue: TaskQueueVerbs,
  { prefix = '', maxBodyBytes = limits.bodyBytes, onError = warn }: TaskQueueRouterOptions = {},
): NodeHandler {
  const verbs: TaskVerbs = {
    enqueue: (input) => queue.enqueue(input),
    get: (input) => queue.get(input),
    stored: (input) => queue.get(input),
    list: (input) => queue.list(input),
    retry: (input) => queue.retry(input),
    cancel: (input) => queue.cancel(input),
    remove: (input) => queue.remove(input),
    cleanup: (input) => queue.cleanup(input),
    stats: (input) => queue.stats(input),
    pause: (input) => queue.pause(input),
    resume: (input) => queue.resume(input),
    updateSettings: (input) => queue.updateSettings(input),
  }
  return async (request, response) => {
    const readJsonBody = async () => {
      requireJsonBody(request)
      return readJson(request, maxBodyBytes)
    }
    const carrying = { request, response, prefix, readJson: readJsonBody, report: onError }
    await carry(carrying, (asked) => tasksFace(verbs, asked))
  }
}

function warn(error: unknown): void {
  process.emitWarning(error instanceof Error ? error : String(error))
}
