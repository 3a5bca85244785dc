/** A queue in four functions that have happened when they return: enqueue, dequeue, completeJob, failJob. */
import type { Backoff } from '../../../shared/backoff.ts'
import { QueueError } from '../../../shared/errors.ts'
import type { Attempt } from '../../../shared/job.ts'
import { HOUR, SECOND } from '../../../shared/limits.ts'
import { DEFAULTS } from '../../../shared/settings.ts'
import type { Clock } from '../../base/clock.ts'
import { readConfig } from '../../base/config/config.ts'
import { type HostHandle, openBeside } from '../../compose/host-database.ts'
import { openDirectEngine } from '../../compose/open-direct-engine.ts'
import type { OpenOptions } from '../../compose/open-engine.ts'
import type { Lease } from '../../store/ops.ts'
import { HeldClaims } from './held-claims.ts'
import { type JobRecord, toRecord } from './job-record.ts'

export type { JobRecord } from './job-record.ts'

const MAX_ATTEMPTS = 5
/** 30, 60, 90, 120 s. */
const BACKOFF: Backoff = { kind: 'linear', baseMs: 30 * SECOND, capMs: 6 * HOUR, jitter: 0 }

/** What `enqueue` takes besides type and payload. */
export interface EnqueueOptions {
  /** Jobs with a higher number are claimed first; default 0. */
  readonly priority?: number
  /** Run no earlier than this: ISO 8601, or as SQLite writes it; without a zone it is UTC; default: now. */
  readonly scheduledAt?: string
  /** How often the job is tried before it counts as failed; default 5. */
  readonly maxAttempts?: number
}

/** A queue on a SQLite file whose functions have happened when they return. */
export interface SimpleQueue {
  /** Gives the id. Inside a transaction of the application's handle it commits or rolls back with that. */
  enqueue(type: string, payload?: Readonly<Record<string, unknown>>, options?: EnqueueOptions): string
  /** The job with the highest priority of those that are due, then the one that has been due the longest; null when no job is due. */
  dequeue(workerId: string): JobRecord | null
  /** Records success of a job that this process has dequeued. */
  completeJob(jobId: string): void
  /** It is tried again after 30, 60, 90, 120 s, and has failed for good with the fifth. */
  failJob(jobId: string, error: string): void
  /** The job as it is now; null for an unknown id. */
  getJob(jobId: string): JobRecord | null
  /** Closes the queue. */
  close(): Promise<void>
}

/** How to open a queue. */
export interface SimpleQueueOptions extends Pick<OpenOptions, 'onError' | 'onWarning'> {
  /** Where time comes from; default: the system clock. */
  readonly clock?: Clock
}

/** On a file by its path, or beside the tables of an application by its better-sqlite3 handle or Drizzle database. */
export function openSimpleQueue(where: HostHandle | string, options: SimpleQueueOptions = {}): SimpleQueue {
  const host =
    typeof where === 'string'
      ? { ...openDirectEngine({ ...options, url: `sqlite:${where}` }), isInTransaction: () => false }
      : openBeside(where, options)
  const { engine, direct, isInTransaction } = host
  const claims = new HeldClaims()

  /** The claim is written on the queue's own connection, which cannot pass one that holds the file. */
  function refuseInTransaction(verb: string): void {
    if (!isInTransaction()) return
    throw new QueueError('WRONG_STATE', `${verb} cannot be part of a transaction; call it before or after yours.`)
  }

  function settle(verb: string, id: string, say: (lease: Lease) => unknown): void {
    refuseInTransaction(verb)
    const lease = claims.find(id)
    try {
      say(lease)
      claims.end(lease)
    } catch (error) {
      if (error instanceof QueueError && error.code === 'STALE_CLAIM') claims.end(lease)
      throw error
    }
  }

  function getJob(id: string): JobRecord | null {
    const job = direct.get(id)
    if (!job) return null
    // A job that completes has no error; the record keeps that of the attempt before.
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
  throw new QueueError('BAD_INPUT', `scheduledAt: ${text} is not a time; write it like 2026-05-17T09:30:00Z.`)
}

/** The queue of `DB_PATH`, opened by whoever calls first. */
let ofProcess: SimpleQueue | null = null

function own(): SimpleQueue {
  ofProcess ??= openSimpleQueue(pathOf(readConfig().url))
  return ofProcess
}

function pathOf(url: string): string {
  if (url.startsWith('sqlite:')) return url.slice('sqlite:'.length)
  throw new QueueError('BAD_INPUT', 'These functions need a SQLite file: set DB_PATH and leave DATABASE_URL out.')
}

/** Adds a job to the queue of `DB_PATH` and returns its id. */
export const enqueue: SimpleQueue['enqueue'] = (...args) => own().enqueue(...args)
/** Takes the next due job of the queue of `DB_PATH`; null when no job is due. */
export const dequeue: SimpleQueue['dequeue'] = (workerId) => own().dequeue(workerId)
/** Records success of a job that this process has dequeued. */
export const completeJob: SimpleQueue['completeJob'] = (jobId) => own().completeJob(jobId)
/** Records a failed attempt of a job that this process has dequeued; it is tried again until its attempts are used up. */
export const failJob: SimpleQueue['failJob'] = (jobId, error) => own().failJob(jobId, error)
/** The job as it is now; null for an unknown id. */
export const getJob: SimpleQueue['getJob'] = (jobId) => own().getJob(jobId)

/** Closes the queue of `DB_PATH`; the next call opens it again. */
export async function close(): Promise<void> {
  const closing = ofProcess?.close()
  ofProcess = null
  await closing
}
