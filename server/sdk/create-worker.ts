/** The typed worker: handlers by the names of their definitions, payloads and results checked on both sides of each. */
import { QueueError } from '../../shared/errors.ts'
import { refuseUnknownKeys } from '../../shared/unknown-keys.ts'
import type { Queue } from '../queue/queue.ts'
import { openWorker, WORKER_OPTIONS, type WorkerOptions } from '../worker/start-worker.ts'
import type { Worker } from '../worker/worker.ts'
import { checkHandlers, type Handlers } from './checked-handlers.ts'
import { declarationsOf, declareTypes } from './jobs/define-jobs.ts'
import type { JobDefinitions } from './jobs/definition.ts'

/** Options of `createWorker`. */
export interface TypedWorkerOptions extends WorkerOptions {
  /**
   * Declare the settings and schemas of the handled jobs before the first job is taken, and again after the queue was
   * unreachable; default true. `false`: another program declares them, with `$declare()` of a client.
   */
  readonly declare?: boolean
}

/**
 * Declares the jobs it has handlers for, then takes them. `home` is a queue, or the client of one. While the queue refuses the
 * declaration the worker takes nothing, and its `unreachable` event has the reason.
 */
export function createWorker<const Definitions extends JobDefinitions>(
  home: Queue | { readonly $queue: Queue },
  definitions: Definitions,
  handlers: Handlers<Definitions>,
  given: TypedWorkerOptions = {},
): Worker {
  refuseUnknownKeys(given, [...WORKER_OPTIONS, 'declare'], 'A worker')
  const { declare = true, ...options } = given
  const queue = '$queue' in home ? home.$queue : home
  const handled = checkHandlers(definitions, handlers)
  if (handled.length === 0) throw new QueueError('BAD_INPUT', 'This worker has no handler; give it at least one.')
  const declared = Object.fromEntries(handled.map(({ name, definition }) => [name, definition]))
  const types = declarationsOf(declared)
  return openWorker(
    queue,
    Object.fromEntries(handled.map(({ type, handler }) => [type, handler])),
    options,
    declare ? { prepare: ({ signal }) => declareTypes(queue, types, signal) } : {},
  )
}
