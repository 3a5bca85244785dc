/** Starts a worker on a queue: untyped handlers by type. The typed form is createWorker. */
import { hostname } from 'node:os'
import { z } from 'zod'
import { leaseMs, typeName, workerName, workerVersion } from '../../shared/contracts/fields.ts'
import { limits } from '../../shared/limits.ts'
import { refuseUnknownKeys } from '../../shared/unknown-keys.ts'
import { type Clock, systemClock } from '../base/clock.ts'
import { canStartThread } from '../base/threads.ts'
import { WORKER_VERSION } from '../base/version.ts'
import { newId } from '../engine/ids.ts'
import { parseInput } from '../engine/verbs/input.ts'
import type { Queue } from '../queue/queue.ts'
import { beatEveryMs, HeartbeatLoop } from './heartbeats/heartbeats.ts'
import { abortAfterMs } from './heartbeats/lease-deadlines.ts'
import { HEARTBEAT_THREAD, heartbeatsInThread } from './heartbeats/thread-heartbeats.ts'
import type { Handler } from './jobs/handler.ts'
import { thisProcess } from './this-process.ts'
import { Worker } from './worker.ts'
import type { WorkerParts } from './worker-parts.ts'

/** Options of `startWorker`, and of `createWorker` beside its own. */
export interface WorkerOptions {
  /** The name in the list of workers, unique among all of them; default: host, process and a few random characters. */
  readonly name?: string
  /** How many jobs run at the same time; default 10. */
  readonly concurrency?: number
  /** How long the queue waits for a heartbeat before another worker may have the job, in milliseconds; default 30,000. */
  readonly leaseMs?: number
  /** How long one call waits for a job before it asks again, in milliseconds; default 20,000. */
  readonly waitMs?: number
  /** How often the worker reports and asks about cancelled jobs and drains, in milliseconds, at most a third of the lease; default 10,000. */
  readonly beatMs?: number
  /** The version of your application, shown in the list of workers; default: that of Millrace, as `millrace 1.2.3`. */
  readonly version?: string
  /** Where time comes from; default: the system clock. */
  readonly clock?: Clock
  /** Random numbers from 0 to 1 for the spread of retries of calls; default: `Math.random`. */
  readonly random?: () => number
}

/** Shorter would be asking without a pause. */
const MIN_PAUSE_MS = 10

/** The names of all options. */
export const WORKER_OPTIONS: readonly string[] = [
  'name',
  'concurrency',
  'leaseMs',
  'waitMs',
  'beatMs',
  'version',
  'clock',
  'random',
]

/** What the queue would refuse with every call is refused before the first one. */
export const workerBounds = z.object({
  name: workerName,
  concurrency: z.int().min(1).max(limits.concurrency),
  leaseMs,
  waitMs: z.int().min(MIN_PAUSE_MS).max(limits.waitMs),
  beatMs: z.number().min(MIN_PAUSE_MS),
  version: workerVersion,
  handlers: z.array(typeName),
})

type HandlersByType = Readonly<Record<string, Handler>> | ReadonlyMap<string, Handler>

/** Starts a worker with untyped handlers by type. Handlers given as a Map may change later: then call `handlersChanged`. */
export function startWorker(queue: Queue, handlers: HandlersByType, options: WorkerOptions = {}): Worker {
  return openWorker(queue, handlers, options)
}

/** With `prepare`, which must have succeeded before anything is claimed. */
export function openWorker(
  queue: Queue,
  handlers: HandlersByType,
  options: WorkerOptions,
  more: Pick<WorkerParts, 'prepare'> = {},
): Worker {
  refuseUnknownKeys(options, WORKER_OPTIONS, 'A worker')
  const { name = newName(), concurrency = 10, leaseMs = 30_000, waitMs = 20_000, clock = systemClock } = options
  const { version = WORKER_VERSION, random = Math.random } = options
  const { address } = queue
  const byType: ReadonlyMap<string, Handler> = handlers instanceof Map ? handlers : new Map(Object.entries(handlers))
  const beatMs = beatEveryMs(leaseMs, options.beatMs)
  parseInput(
    workerBounds,
    { name, concurrency, leaseMs, waitMs, beatMs, version, handlers: [...byType.keys()] },
    'worker',
  )
  const isLocal = address === null
  const rhythm = { worker: name, leaseMs, beatMs, abortAfterMs: isLocal ? null : abortAfterMs(leaseMs) }
  return new Worker({
    queue,
    handlers: byType,
    ...more,
    ...{ name, concurrency, version, process: thisProcess(), leaseMs, waitMs, isLocal, clock, random, newId },
    // Without an address, or on a clock of the caller's own, nobody else could keep the leases.
    heartbeats: (heard) =>
      address && clock === systemClock && hasHeartbeatThread()
        ? heartbeatsInThread({ address, ...rhythm }, heard)
        : new HeartbeatLoop({ queue, clock, ...rhythm, ...heard }),
  })
}

/** In a bundle without it heartbeats come from the main thread, which a handler may hold up. */
function hasHeartbeatThread(): boolean {
  const isThere = canStartThread(HEARTBEAT_THREAD)
  if (!isThere) warnOnce()
  return isThere
}

let isWarned = false
function warnOnce(): void {
  if (isWarned) return
  isWarned = true
  process.emitWarning(
    'Millrace was bundled without the file of its heartbeat thread: heartbeats run on the main thread, and a handler that blocks it for longer than the lease loses its job. Mark millrace as external in the bundler to keep the thread.',
  )
}

function newName(): string {
  return `${hostname()}:${process.pid}:${newId().slice(-6)}`
}
