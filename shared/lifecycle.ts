/**
 * State transitions of a job as pure functions: (job, event, now) → transition. Stores only apply them.
 * Completion is not here: a current claim that completes always makes the job `completed`.
 */

import { QueueError } from './errors.ts'
import type { Attempt, AttemptOutcome, JobSummary } from './job.ts'
import { ATTEMPTS_LOST_ERROR, CRASH_ERROR, EXPIRED_ERROR, TIMED_OUT_ERROR, UNCONFIRMED_ERROR } from './job-errors.ts'
import { sanitise } from './json/text.ts'
import { limits } from './limits.ts'
import { backoffDelayMs } from './settings/backoff-delay.ts'
import type { EffectiveSettings } from './settings/settings.ts'
import { SOURCES } from './sources.ts'
import { errorKey } from './stats/error-key.ts'
import type { Status } from './status.ts'
import { isTerminal } from './status.ts'

/** After this many unconfirmed claims in a row, each further one costs an attempt, so that it ends eventually. */
export const UNCONFIRMED_CLAIMS = 3

/** The columns a transition may change; `version` only ever changes in a claim. */
export type State = Pick<
  JobSummary,
  | 'status'
  | 'attempts'
  | 'crashes'
  | 'runAt'
  | 'leaseUntil'
  | 'leaseMs'
  | 'lockedBy'
  | 'error'
  | 'cancelRequestedAt'
  | 'finishedAt'
> & {
  /** Consecutive claims of a job with crashes that were not followed by a call of the worker. */
  readonly unconfirmedClaims: number
}

/** The columns that a transition reads. */
export type LiveJob = State &
  Pick<JobSummary, 'id' | 'version' | 'maxAttempts' | 'timeoutMs' | 'backoff' | 'face' | 'startedAt' | 'expiresAt'>

export interface Transition {
  readonly next: State
  /** The record of the attempt that ends here, if one does. */
  readonly attempt: Attempt | null
  /** Duration of the work as measured by the worker. */
  readonly ownMs?: number | undefined
}

export interface Failure {
  /** The reason, visible to everyone who can read the job. */
  readonly error: string
  /** The reason with its stack trace, stored only with the attempt. */
  readonly stack?: string | undefined
  readonly retry: boolean
  readonly retryInMs: number | null
  /** The worker ends the job as cancelled, not as failed. */
  readonly cancel?: boolean
  readonly exitCode: number | null
  /** Duration of the work, if the worker measured it. */
  readonly durationMs?: number | undefined
  /** In [0, 1), drawn by the caller, so that a replayed commit has the same result. */
  readonly random: number
}

/** Time after the deadline of an attempt in which a live worker reports the timeout. */
export const TIMEOUT_GRACE_MS = 2_000

/** A lease ends at the latest with the deadline of the attempt plus the time to report it. */
export function leaseEnd(now: number, leaseMs: number, startedAt: number, timeoutMs: number | null): number {
  const end = now + leaseMs
  return timeoutMs === null ? end : Math.min(end, startedAt + timeoutMs + TIMEOUT_GRACE_MS)
}

export function deadlineMs(job: Pick<LiveJob, 'timeoutMs'>, settings: EffectiveSettings): number | null {
  return job.timeoutMs ?? settings.timeoutMs
}

export function failJob(job: LiveJob, failure: Failure, settings: EffectiveSettings, now: number): Transition {
  const full = sanitise(failure.stack ?? failure.error, limits.attemptErrorLength)
  const error = sanitise(failure.error, limits.jobErrorLength)
  const next = afterFailure(job, failure, error, settings, now)
  return { ...endAttempt(job, now, 'failed', next, full, failure.exitCode), ownMs: failure.durationMs }
}

function afterFailure(job: LiveJob, failure: Failure, error: string, settings: EffectiveSettings, now: number): State {
  if (failure.cancel || job.cancelRequestedAt !== null) return finish(job, 'cancelled', error, now)
  const spent = job.attempts >= (job.maxAttempts ?? settings.maxAttempts)
  if (!failure.retry || spent) return finish(job, 'failed', error, now)
  const delayMs = failure.retryInMs ?? backoffDelayMs(job.backoff ?? settings.backoff, job.attempts, failure.random)
  return { ...unclaimed(job), status: delayMs > 0 ? 'retrying' : 'pending', error, runAt: now + delayMs }
}

/** Does not count the attempt: the job keeps its claim position, or waits `delayMs`. */
export function releaseJob(job: LiveJob, delayMs: number, now: number): Transition {
  const attempts = Math.max(0, job.attempts - 1)
  const next: State =
    job.cancelRequestedAt !== null
      ? finish({ ...job, attempts }, 'cancelled', job.error, now)
      : delayMs > 0
        ? { ...unclaimed(job), attempts, status: waitingStatus({ ...job, attempts }), runAt: now + delayMs }
        : { ...unclaimed(job), attempts, status: 'pending' }
  return endAttempt(job, now, 'released', next)
}

/**
 * The lease ended without an outcome. A job with crashes ran alone, so it caused this crash itself, provided that its worker
 * has made a call since the claim: otherwise the response to the claim may have been lost, and the job has not run.
 * (/api/queue guarantees two leases in any case.)
 */
export function rescueJob(job: LiveJob, settings: EffectiveSettings, now: number): Transition {
  if (job.crashes > 0 && job.unconfirmedClaims > 0 && job.face !== SOURCES.jsonQueue) {
    return afterUnconfirmed(job, settings, now)
  }
  const crashed = { ...job, crashes: job.crashes + 1 }
  const error = crashError(job)
  const next = afterCrash(crashed, error, settings, now)
  return endAttempt(job, now, 'crashed', { ...next, unconfirmedClaims: 0 }, error)
}

function afterCrash(job: LiveJob, error: string, settings: EffectiveSettings, now: number): State {
  // Another job of the same process may have caused the first crash. Only a job that crashed again, alone, fails for it.
  if (job.crashes > 1 && job.crashes >= settings.crashBudget && mayFail(job)) {
    return finish(job, 'failed', errorForSource(job, setAsideError(job.crashes), error), now)
  }
  return afterLostWorker(job, error, settings, now)
}

function afterLostWorker(job: LiveJob, error: string, settings: EffectiveSettings, now: number): State {
  if (job.cancelRequestedAt !== null) return finish(job, 'cancelled', error, now)
  // Messages do not fail: they are redelivered until acknowledged, at their old position.
  if (job.face === SOURCES.messages) return { ...unclaimed(job), status: 'pending', error }
  const isSpent = job.attempts >= (job.maxAttempts ?? settings.maxAttempts)
  if (isSpent) return finish(job, 'failed', errorForSource(job, ATTEMPTS_LOST_ERROR, error), now)
  return { ...unclaimed(job), status: 'pending', error, runAt: now }
}

/** Counts no crash. The first few times the attempt is not counted either. */
function afterUnconfirmed(job: LiveJob, settings: EffectiveSettings, now: number): Transition {
  const { unconfirmedClaims } = job
  if (unconfirmedClaims > UNCONFIRMED_CLAIMS) {
    const error = crashError(job)
    const next = afterLostWorker(job, error, settings, now)
    return endAttempt(job, now, 'crashed', { ...next, unconfirmedClaims }, error)
  }
  const { next, attempt } = releaseJob(job, 0, now)
  const runAt = isTerminal(next.status) ? next.runAt : now
  const nextRunAt = isTerminal(next.status) ? null : now
  return {
    next: { ...next, runAt, unconfirmedClaims },
    attempt: attempt && { ...attempt, nextRunAt, error: UNCONFIRMED_ERROR },
  }
}

function mayFail({ face, cancelRequestedAt }: LiveJob): boolean {
  return face !== SOURCES.messages && cancelRequestedAt === null
}

/** Error of a quarantined job. Stored, and compared by `isSetAside`. */
export function setAsideError(crashes: number): string {
  return `Set aside: its worker crashed ${crashes} times while running it`
}

/** true: the job failed because it crashed its workers, the last time while it ran alone (quarantined). */
export function isSetAside(job: Pick<JobSummary, 'status' | 'crashes' | 'error' | 'face'>): boolean {
  if (job.status !== 'failed' || job.crashes < 2) return false
  return job.error === setAsideError(job.crashes) || (job.face === SOURCES.tasks && job.error === CRASH_ERROR)
}

function crashError({ face, attempts }: LiveJob): string {
  return face === SOURCES.jsonQueue && attempts > 1 ? TIMED_OUT_ERROR : CRASH_ERROR
}

/** Clients of these REST APIs expect the fixed error texts of their specification. */
function errorForSource({ face }: LiveJob, error: string, specified: string): string {
  return face === SOURCES.jsonQueue || face === SOURCES.tasks ? specified : error
}

/** Restarts the job from the first attempt. Attempts and crashes are reset, `version` is not. */
export function retryJob(job: LiveJob, now: number): Transition {
  if (job.status !== 'failed' && job.status !== 'cancelled' && job.status !== 'retrying') {
    throw wrongState(job, 'retried', 'failed, cancelled or retrying')
  }
  if (job.expiresAt !== null && job.expiresAt <= now) {
    throw new QueueError('WRONG_STATE', `Job ${job.id} has expired and would not run; enqueue a new one instead.`, {
      id: job.id,
      expiresAt: job.expiresAt,
    })
  }
  const next: State = {
    ...unclaimed(job),
    status: 'pending',
    attempts: 0,
    crashes: 0,
    error: null,
    runAt: now,
    finishedAt: null,
  }
  return { next, attempt: null }
}

/** Makes a waiting job due now; null: it is due already, though its key may have no room for it yet. */
export function runJobNow(job: LiveJob, now: number): Transition | null {
  if (job.status === 'pending' || job.status === 'blocked') return null
  if (job.status !== 'scheduled' && job.status !== 'retrying') {
    throw wrongState(job, 'run now', 'scheduled or retrying (use retry for a finished job)')
  }
  return { next: { ...unclaimed(job), status: 'pending', runAt: now }, attempt: null }
}

/** Cancels a waiting job, or requests the cancellation of a running one; null: cancelled already. */
export function cancelJob(job: LiveJob, now: number): Transition | null {
  if (job.status === 'cancelled') return null
  if (job.status === 'processing') {
    if (job.cancelRequestedAt !== null) return null
    return { next: { ...stateOf(job), cancelRequestedAt: now }, attempt: null }
  }
  if (isTerminal(job.status)) throw wrongState(job, 'cancelled', 'not finished yet')
  return { next: finish(job, 'cancelled', job.error, now), attempt: null }
}

/** An expired job is cancelled, not failed, so that a retry of all dead letters does not run it. */
export function expireJob(job: LiveJob, now: number): Transition {
  return { next: finish(job, 'cancelled', EXPIRED_ERROR, now), attempt: null }
}

/** A rule of its group ends a job that no worker holds. Cancelled, so that a retry of all dead letters does not run it. */
export function dropJob(job: LiveJob, error: string, now: number): Transition {
  return { next: finish(job, 'cancelled', error, now), attempt: null }
}

export function waitingStatus(job: Pick<LiveJob, 'attempts' | 'crashes'>): Status {
  return job.attempts > 0 || job.crashes > 0 ? 'retrying' : 'scheduled'
}

export function wrongState(job: Pick<LiveJob, 'id' | 'status'>, verb: string, needed: string): QueueError {
  return new QueueError(
    'WRONG_STATE',
    `Job ${job.id} is ${job.status}; it can be ${verb} only while it is ${needed}.`,
    {
      id: job.id,
      status: job.status,
    },
  )
}

/** The columns that a transition may change. */
export function stateOf(job: State): State {
  return {
    status: job.status,
    attempts: job.attempts,
    crashes: job.crashes,
    runAt: job.runAt,
    leaseUntil: job.leaseUntil,
    leaseMs: job.leaseMs,
    lockedBy: job.lockedBy,
    error: job.error,
    cancelRequestedAt: job.cancelRequestedAt,
    finishedAt: job.finishedAt,
    unconfirmedClaims: job.unconfirmedClaims,
  }
}

/** The state without a claim, not finished. */
function unclaimed(job: LiveJob): State {
  return {
    ...stateOf(job),
    leaseUntil: null,
    leaseMs: null,
    lockedBy: null,
    cancelRequestedAt: null,
    finishedAt: null,
    unconfirmedClaims: 0,
  }
}

function finish(job: LiveJob, status: Status, error: string | null, now: number): State {
  return { ...unclaimed(job), status, error, finishedAt: now }
}

function endAttempt(
  job: LiveJob,
  now: number,
  outcome: AttemptOutcome,
  next: State,
  error: string | null = null,
  exitCode: number | null = null,
): Transition {
  return {
    next,
    attempt: {
      version: job.version,
      worker: job.lockedBy,
      startedAt: job.startedAt ?? now,
      finishedAt: now,
      outcome,
      statusAfter: next.status,
      nextRunAt: isTerminal(next.status) ? null : next.runAt,
      error,
      errorKey: error === null ? null : errorKey(error),
      exitCode,
    },
  }
}
