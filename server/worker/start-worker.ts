/** `startWorker`: a worker with untyped handlers by job type. `createWorker` is the typed form. */
import { hostname } from 'node:os'
import { z } from 'zod'
import { leaseMs, typeName, workerName, workerVersion } from '../../shared/contracts/fields.ts'
import { refuseUnknownKeys } from '../../shared/json/unknown-keys.ts'
import { limits } from '../../shared/limits.ts'
import type { Queue } from '../../shared/queue.ts'
import { parseInput } from '../../shared/verbs/parse-input.ts'
import { type Clock, systemClock } from '../base/clock.ts'
import { newId } from '../base/ids.ts'
import { canStartThread } from '../base/threads.ts'
import { WORKER_VERSION } from '../base/version.ts'
import { HeartbeatLoop, heartbeatIntervalMs } from './heartbeats/heartbeats.ts'
import { abortAfterMs } from './heartbeats/lease-deadlines.ts'
import { HEARTBEAT_THREAD, heartbeatsInThread } from './heartbeats/thread-heartbeats.ts'
import type { Handler } from './jobs/handler.ts'
import { thisProcess } from './this-process.ts'
import { Worker } from './worker.ts'
import type { WorkerDependencies } from './worker-dependencies.ts'

/** Options of `startWorker` and `createWorker`. */
export interface WorkerOptions {
  /** The name in the list of workers, unique among all of them; default: host name, process id and random characters. */
  readonly name?: string
  /** How many jobs run at the same time; default 10. */
  readonly concurrency?: number
  /**
   * How many short jobs may be claimed in advance, 0 to 100; default 0. They wait in this process, leased, for a free slot, so that one
   * round trip settles and claims several. Only jobs without a timeout that have attempts left wait. Long handlers turn it off; a job
   * that waits longer than a second is released.
   */
  readonly prefetch?: number
  /** Duration of a lease, in milliseconds: without a heartbeat for so long another worker may claim the job; default 30,000. */
  readonly leaseMs?: number
  /** How long one claim waits for a job, in milliseconds; default 20,000. */
  readonly waitMs?: number
  /** Interval of the heartbeats, in milliseconds, at most a third of the lease; default 10,000. */
  readonly beatMs?: number
  /** The version of your application, shown in the list of workers; default: the version of Millrace, as `millrace 1.2.3`. */
  readonly version?: string
  /** Clock for timers and deadlines; default: the system clock. */
  readonly clock?: Clock
  /** Random numbers from 0 to 1 for the jitter of retry delays; default: `Math.random`. */
  readonly random?: () => number
}

/** A shorter wait or interval would be a busy loop. */
const MIN_PAUSE_MS = 10

/** The names of all options. */
export const WORKER_OPTIONS: readonly string[] = [
  'name',
  'concurrency',
  'prefetch',
  'leaseMs',
  'waitMs',
  'beatMs',
  'version',
  'clock',
  'random',
]

/** Rejects invalid options at the start; the queue would reject every later call. */
export const workerBounds = z.object({
  name: workerName,
  concurrency: z.int().min(1).max(limits.concurrency),
  prefetch: z.int().min(0).max(limits.claim),
  leaseMs,
  waitMs: z.int().min(MIN_PAUSE_MS).max(limits.waitMs),
  beatMs: z.number().min(MIN_PAUSE_MS),
  version: workerVersion,
  handlers: z.array(typeName),
})

type HandlersByType = Readonly<Record<string, Handler>> | ReadonlyMap<string, Handler>

/** Starts a worker with untyped handlers by job type. A Map of handlers may change later; call `handlersChanged` then. */
export function startWorker(queue: Queue, handlers: HandlersByType, options: WorkerOptions = {}): Worker {
  return openWorker(queue, handlers, options)
}

/** `startWorker` with an additional `prepare`, which must succeed before the first claim. */
export function openWorker(
  queue: Queue,
  handlers: HandlersByType,
  options: WorkerOptions,
  more: Pick<WorkerDependencies, 'prepare'> = {},
): Worker {
  refuseUnknownKeys(options, WORKER_OPTIONS, 'A worker')
  const { name = newName(), concurrency = 10, leaseMs = 30_000, waitMs = 20_000, clock = systemClock } = options
  const { prefetch = 0, version = WORKER_VERSION, random = Math.random } = options
  const { address } = queue
  const byType: ReadonlyMap<string, Handler> = handlers instanceof Map ? handlers : new Map(Object.entries(handlers))
  const beatMs = heartbeatIntervalMs(leaseMs, options.beatMs)
  parseInput(
    workerBounds,
    { name, concurrency, prefetch, leaseMs, waitMs, beatMs, version, handlers: [...byType.keys()] },
    'worker',
  )
  const isLocal = address === null
  const settings = { worker: name, leaseMs, beatMs, abortAfterMs: isLocal ? null : abortAfterMs(leaseMs) }
  return new Worker({
    queue,
    handlers: byType,
    ...more,
    ...{ name, concurrency, prefetch, version, process: thisProcess(), leaseMs, waitMs, isLocal, clock, random, newId },
    // The thread needs an address to open the queue again, and it runs on the system clock.
    heartbeats: (listener) =>
      address && clock === systemClock && hasHeartbeatThread()
        ? heartbeatsInThread({ address, ...settings, mayWait: prefetch > 0 }, listener)
        : new HeartbeatLoop({ queue, clock, ...settings, ...listener }),
  })
}

/** False in a bundle without the thread's file. Heartbeats then run on the main thread, which a handler can block. */
function hasHeartbeatThread(): boolean {
  const canStart = canStartThread(HEARTBEAT_THREAD)
  if (!canStart) warnOnce()
  return canStart
}

let hasWarned = false
function warnOnce(): void {
  if (hasWarned) return
  hasWarned = true
  process.emitWarning(
    'Millrace was bundled without the file of its heartbeat thread: heartbeats run on the main thread, and a handler that blocks it for longer than the lease loses its job. Mark millrace as external in the bundler to keep the thread.',
  )
}

function newName(): string {
  return `${hostname()}:${process.pid}:${newId().slice(-6)}`
}
