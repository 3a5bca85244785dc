/** Synchronous queue in four functions: `enqueue`, `dequeue`, `completeJob`, `failJob`. */

import { QueueError } from '../../../shared/errors.ts'
import type { Attempt } from '../../../shared/job.ts'
import { HOUR, SECOND } from '../../../shared/limits.ts'
import type { Backoff } from '../../../shared/settings/backoff.ts'
import { DEFAULTS } from '../../../shared/settings/settings.ts'
import type { Clock } from '../../base/clock.ts'
import { readConfig } from '../../base/config/config.ts'
import { type HostHandle, openHostDatabaseSync } from '../../compose/host-database.ts'
import type { OpenOptions } from '../../compose/open-engine.ts'
import { openEngineSync } from '../../compose/open-engine-sync.ts'
import type { Lease } from '../../store/ops.ts'
import { HeldClaims } from './held-claims.ts'
import { type JobRecord, toRecord } from './job-record.ts'

export type { JobRecord } from './job-record.ts'

const MAX_ATTEMPTS = 5
/** 30, 60, 90, 120 s. */
const BACKOFF: Backoff = { kind: 'linear', baseMs: 30 * SECOND, capMs: 6 * HOUR, jitter: 0 }

/** Options of `enqueue`. */
export interface EnqueueOptions {
  /** Jobs with a higher number are claimed first; default 0. */
  readonly priority?: number
  /** Earliest start, in ISO 8601 or the format of SQLite, UTC without a zone; default: now. */
  readonly scheduledAt?: string
  /** The maximum number of attempts; default 5. */
  readonly maxAttempts?: number
}

/** A queue on a SQLite file with synchronous functions. */
export interface SimpleQueue {
  /** Stores a job and returns its id. Inside a transaction of the application's handle it commits or rolls back with it. */
  enqueue(type: string, payload?: Readonly<Record<string, unknown>>, options?: EnqueueOptions): string
  /** Claims the due job with the highest priority, the oldest first; null: no job is due. */
  dequeue(workerId: string): JobRecord | null
  /** Records success of a job that this process has dequeued. */
  completeJob(jobId: string): void
  /** Records a failed attempt. The job is retried after 30, 60, 90 and 120 s and fails permanently with the fifth. */
  failJob(jobId: string, error: string): void
  /** The current state of a job; null: unknown id. */
  getJob(jobId: string): JobRecord | null
  /** Closes the queue. */
  close(): Promise<void>
}

/** Options of `openSimpleQueue`. */
export interface SimpleQueueOptions extends Pick<OpenOptions, 'onError' | 'onWarning'> {
  /** Clock for due times; default: the system clock. */
  readonly clock?: Clock
}

/** Opens a queue on a file by its path, or in an application's database by its better-sqlite3 handle or Drizzle database. */
export function openSimpleQueue(where: HostHandle | string, options: SimpleQueueOptions = {}): SimpleQueue {
  const host =
    typeof where === 'string'
      ? { ...openEngineSync({ ...options, url: `sqlite:${where}` }), isInTransaction: () => false }
      : openHostDatabaseSync(where, options)
  const { engine, direct, isInTransaction } = host
  const claims = new HeldClaims()

  /** Claims use the queue's own connection, which would wait for the application's transaction forever. */
  function refuseInTransaction(verb: string): void {
    if (!isInTransaction()) return
    throw new QueueError('WRONG_STATE', `${verb} cannot run inside a transaction; call it before or after yours.`)
  }

  function settle(verb: string, id: string, send: (lease: Lease) => unknown): void {
    refuseInTransaction(verb)
    const lease = claims.find(id)
    try {
      send(lease)
      claims.end(lease)
    } catch (error) {
      if (error instanceof QueueError && error.code === 'STALE_CLAIM') claims.end(lease)
      throw error
    }
  }

  function getJob(id: string): JobRecord | null {
    const job = direct.get(id)
    if (!job) return null
    // A completed job has no error; the record shows that of the last failed attempt.
    const lastError = job.status === 'completed' ? lastErrorOf(direct.attempts(id)) : null
    return toRecord(job, direct.settings(job.type)?.maxAttempts ?? DEFAULTS.maxAttempts, lastError)
  }

  return {
    enqueue(type, payload = {}, { priority = 0, scheduledAt, maxAttempts = MAX_ATTEMPTS } = {}) {
      const runAt = scheduledAt === undefined ? {} : { runAt: instantOf(scheduledAt) }
      const input = { type, payload, priority, maxAttempts, backoff: BACKOFF, face: 'simple', ...runAt }
      const joins = typeof where !== 'string' && isInTransaction()
      return (joins ? engine.enqueueTx(where, input) : direct.enqueue(input)).id
    },
    dequeue(workerId) {
      refuseInTransaction('dequeue')
      const claimed = direct.claim(workerId)
      if (!claimed) return null
      claims.hold(claimed)
      return getJob(claimed.id)
    },
    completeJob: (id) => settle('completeJob', id, (lease) => direct.complete(lease)),
    failJob: (id, error) => settle('failJob', id, (lease) => direct.fail(lease, error)),
    getJob,
    close: () => engine.close(),
  }
}

function lastErrorOf(attempts: readonly Attempt[]): string | null {
  return attempts.findLast(({ error }) => error !== null)?.error ?? null
}

function instantOf(text: string): number {
  const hasZone = /(?:Z|[+-]\d\d:?\d\d)$/i.test(text)
  const at = Date.parse(hasZone ? text : `${text.replace(' ', 'T')}${text.includes(':') ? 'Z' : ''}`)
  if (!Number.isNaN(at)) return at
  throw new QueueError('BAD_INPUT', `scheduledAt: ${text} is not a valid time; use the format 2026-05-17T09:30:00Z.`)
}

/** The queue of `DB_PATH`, opened by the first call. */
let defaultQueue: SimpleQueue | null = null

function getDefaultQueue(): SimpleQueue {
  defaultQueue ??= openSimpleQueue(pathOf(readConfig().url))
  return defaultQueue
}

function pathOf(url: string): string {
  if (url.startsWith('sqlite:')) return url.slice('sqlite:'.length)
  throw new QueueError('BAD_INPUT', 'These functions need a SQLite file: set DB_PATH and unset DATABASE_URL.')
}

/** Adds a job to the queue of `DB_PATH` and returns its id. */
export const enqueue: SimpleQueue['enqueue'] = (...args) => getDefaultQueue().enqueue(...args)
/** Claims the next due job of the queue of `DB_PATH`; null: no job is due. */
export const dequeue: SimpleQueue['dequeue'] = (workerId) => getDefaultQueue().dequeue(workerId)
/** Records success of a job that this process has dequeued. */
export const completeJob: SimpleQueue['completeJob'] = (jobId) => getDefaultQueue().completeJob(jobId)
/** Records a failed attempt of a job that this process has dequeued. It is retried until its attempts are used up. */
export const failJob: SimpleQueue['failJob'] = (jobId, error) => getDefaultQueue().failJob(jobId, error)
/** The current state of a job; null: unknown id. */
export const getJob: SimpleQueue['getJob'] = (jobId) => getDefaultQueue().getJob(jobId)

/** Closes the queue of `DB_PATH`; the next call opens it again. */
export async function close(): Promise<void> {
  const closing = defaultQueue?.close()
  defaultQueue = null
  await closing
}
