/** `drain`: runs due jobs one after the other until none is left. */
import type { Status } from '../../../shared/status.ts'
import type { Clock } from '../../base/clock.ts'
import type { Engine } from '../../engine/engine.ts'
import type { WorkerEvent } from '../../worker/events.ts'
import type { Handler } from '../../worker/jobs/handler.ts'
import { startWorker } from '../../worker/start-worker.ts'
import type { Worker } from '../../worker/worker.ts'

/** One attempt that `drain` ran. */
export interface DrainedJob {
  /** The id of the job. */
  readonly id: string
  /** The name of the job type. */
  readonly type: string
  /** The number of the attempt, from 1. */
  readonly attempt: number
  /** The status of the job after the attempt; `retrying` waits for its backoff. */
  readonly status: Status
  /** The error of a failed attempt. */
  readonly error?: string
}

export async function drain(
  engine: Engine,
  clock: Clock,
  handlers: Readonly<Record<string, Handler>>,
): Promise<readonly DrainedJob[]> {
  const drained: DrainedJob[] = []
  // A worker without handlers never claims, so `untilIdle` would not end.
  if (Object.keys(handlers).length === 0) return drained
  const errors: unknown[] = []
  const worker = startWorker(engine, handlers, { name: 'drain', concurrency: 1, waitMs: 30_000, clock })
  worker.events.onAny((event) => {
    const ended = drainedJob(event)
    if (ended) drained.push(ended)
    if (event.kind === 'error' || event.kind === 'unreachable') errors.push(event.error)
  })
  await untilIdle(engine, worker)
  await worker.stop({ graceMs: Number.POSITIVE_INFINITY })
  if (errors.length > 0) throw errors[0]
  return drained
}

/** Waits until the worker's claim waits: then all outcomes are settled and no job is due. */
async function untilIdle(engine: Engine, worker: Worker): Promise<void> {
  const waitingBefore = engine.load.waitingClaims
  while (worker.busy > 0 || engine.load.waitingClaims <= waitingBefore) {
    if (worker.busy > 0) await nextEvent(worker)
    else await new Promise(setImmediate)
  }
}

function nextEvent(worker: Worker): Promise<void> {
  return new Promise((resolve) => {
    const stop = worker.events.onAny(() => {
      stop()
      resolve()
    })
  })
}

function drainedJob(event: WorkerEvent): DrainedJob | null {
  if (event.kind !== 'success' && event.kind !== 'failed') return null
  const { id, type, attempt } = event
  if (event.kind === 'success') return { id, type, attempt, status: 'completed' }
  return { id, type, attempt, status: event.status, error: event.error }
}
