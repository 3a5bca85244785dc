/** `createWorker`: a worker with typed handlers, whose payloads and results are validated. */

import { QueueError } from '../../shared/errors.ts'
import { refuseUnknownKeys } from '../../shared/json/unknown-keys.ts'
import type { Queue } from '../../shared/queue.ts'
import { systemClock } from '../base/clock.ts'
import type { WorkerEventOf } from '../worker/events.ts'
import { openWorker, WORKER_OPTIONS, type WorkerOptions } from '../worker/start-worker.ts'
import type { Worker } from '../worker/worker.ts'
import { checkHandlers, type Handlers } from './checked-handlers.ts'
import { declarationsOf, declareTypes } from './jobs/define-jobs.ts'
import type { JobDefinitions } from './jobs/definition.ts'
import { RepeatedDeclaration } from './schedules/declare-schedules.ts'
import type { Schedules } from './schedules/define-schedules.ts'

/** Options of `createWorker`. */
export interface TypedWorkerOptions extends WorkerOptions {
  /**
   * Declares the settings and schemas of the handled jobs before the first claim and after each outage; default true.
   * `false`: another program declares them with `$declare()` of a client.
   */
  readonly declare?: boolean
  /**
   * Schedules from `defineSchedules`, declared before the first claim, after each outage and every 6 hours; default: none. Their jobs
   * may be handled by other workers.
   */
  readonly schedules?: Schedules
}

/**
 * Starts a worker that declares the jobs it has handlers for, then claims them. `source` is a queue or a client. While the
 * queue rejects the declaration the worker claims nothing, and its `unreachable` event has the reason.
 */
export function createWorker<const Definitions extends JobDefinitions>(
  source: Queue | { readonly $queue: Queue },
  definitions: Definitions,
  handlers: Handlers<Definitions>,
  allOptions: TypedWorkerOptions = {},
): Worker {
  refuseUnknownKeys(allOptions, [...WORKER_OPTIONS, 'declare', 'schedules'], 'A worker')
  const { declare = true, schedules, ...options } = allOptions
  const queue = '$queue' in source ? source.$queue : source
  const handled = checkHandlers(definitions, handlers)
  if (handled.length === 0) throw new QueueError('BAD_INPUT', 'This worker has no handlers; pass at least one.')
  const declared = Object.fromEntries(handled.map(({ name, definition }) => [name, definition]))
  const types = declarationsOf(declared)
  const repeated = schedules && repeatedDeclaration(queue, schedules, options, (event) => worker.events.emit(event))
  const prepare = async ({ signal }: { readonly signal: AbortSignal }) => {
    // Types first: a payload is checked against the stored schema of its type.
    if (declare) await declareTypes(queue, types, signal)
    await repeated?.declare(signal)
  }
  const worker = openWorker(
    queue,
    Object.fromEntries(handled.map(({ type, handler }) => [type, handler])),
    options,
    declare || schedules ? { prepare } : {},
  )
  worker.events.on('stopped', () => repeated?.stop())
  return worker
}

function repeatedDeclaration(
  queue: Queue,
  schedules: Schedules,
  { clock = systemClock }: WorkerOptions,
  emit: (event: WorkerEventOf<'orphaned'>) => void,
): RepeatedDeclaration {
  return new RepeatedDeclaration({
    ...{ queue, clock, schedules: () => schedules },
    onDeclared({ orphaned }) {
      if (orphaned.length > 0) emit({ kind: 'orphaned', schedules: orphaned, owner: schedules.owner })
    },
  })
}
