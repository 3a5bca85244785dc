/** One job of the model, and its transitions at the end of an attempt. */
import type { NewJob, OpOf } from '../../../../server/store/ops.ts'
import type { Status } from '../../../../shared/status.ts'
import type { ModelKey } from './model-key.ts'

export const MODEL_DEFAULTS = {
  maxAttempts: 3,
  crashBudget: 2,
  leaseMs: 25_000,
  backoff: { kind: 'fixed', baseMs: 4_000, jitter: 0 },
} as const

export const WAITING: readonly Status[] = ['scheduled', 'pending', 'retrying', 'blocked']
/** How long after its deadline an attempt may still be reported. */
const GRACE_MS = 2_000
const CRASHED = 'Task timeout - worker may have crashed'
const SPENT = 'Attempts used up: the worker of the last one was lost'

export interface ModelJob {
  readonly input: NewJob
  readonly seq: number
  /** null: the job has no group. */
  readonly key: ModelKey | null
  readonly createdAt: number
  status: Status
  attempts: number
  crashes: number
  /** Consecutive unconfirmed claims, made while it had crashes. */
  unconfirmed: number
  version: number
  runAt: number
  error: string | null
  worker: string | null
  leaseUntil: number | null
  leaseMs: number | null
  startedAt: number | null
  finishedAt: number | null
  cancelAskedAt: number | null
  /** The request that holds or completed it. */
  request: string | null
  /** How each claim ended, by version. */
  readonly ends: Map<number, { word: string; status: Status; runAt: number | null }>
}

export function newModelJob(input: NewJob, seq: number, key: ModelKey | null, now: number): ModelJob {
  const runAt = input.runAt ?? now + (input.delayMs ?? 0)
  return {
    input,
    seq,
    key,
    createdAt: now,
    status: runAt > now ? 'scheduled' : 'pending',
    attempts: 0,
    crashes: 0,
    unconfirmed: 0,
    version: 0,
    runAt,
    error: null,
    worker: null,
    leaseUntil: null,
    leaseMs: null,
    startedAt: null,
    finishedAt: null,
    cancelAskedAt: null,
    request: null,
    ends: new Map(),
  }
}

export function take(job: ModelJob, op: OpOf<'claim'>, now: number): void {
  move(job, 'processing')
  job.attempts += 1
  job.version += 1
  job.worker = op.worker
  job.startedAt = now
  job.leaseMs = op.leaseMs ?? job.input.timeoutMs ?? MODEL_DEFAULTS.leaseMs
  job.leaseUntil = leaseEnd(job, now)
  job.request = op.requestId
  if (job.crashes > 0 && !op.settle) job.unconfirmed += 1
}

export function fail(job: ModelJob, { failure }: OpOf<'fail'>, now: number): void {
  const waitMs = failure.retryInMs ?? MODEL_DEFAULTS.backoff.baseMs
  if (job.cancelAskedAt !== null) finish(job, 'cancelled', failure.error, now, 'fail')
  else if (isSpent(job) || !failure.retry) finish(job, 'failed', failure.error, now, 'fail')
  else wait(job, waitMs > 0 ? 'retrying' : 'pending', now + waitMs, failure.error, now, 'fail')
}

export function release(job: ModelJob, delayMs: number, now: number): void {
  job.attempts -= 1
  const later = job.attempts > 0 || job.crashes > 0 ? 'retrying' : 'scheduled'
  if (job.cancelAskedAt !== null) finish(job, 'cancelled', job.error, now, 'release')
  else if (delayMs === 0) wait(job, 'pending', job.runAt, job.error, now, 'release')
  else wait(job, later, now + delayMs, job.error, now, 'release')
}

export function rescue(job: ModelJob, now: number): void {
  const { unconfirmed } = job
  if (unconfirmed === 0) job.crashes += 1
  const isSetAside = unconfirmed === 0 && job.crashes > 1 && job.crashes >= MODEL_DEFAULTS.crashBudget
  if (unconfirmed > 0 && unconfirmed <= 3) {
    job.attempts -= 1
    if (job.cancelAskedAt !== null) finish(job, 'cancelled', job.error, now, 'release')
    else wait(job, 'pending', now, job.error, now, 'release')
  } else if (job.cancelAskedAt !== null) finish(job, 'cancelled', CRASHED, now, 'crash')
  else if (isSetAside) {
    finish(job, 'failed', `Set aside: its worker crashed ${job.crashes} times while running it`, now, 'crash')
  } else if (isSpent(job)) finish(job, 'failed', SPENT, now, 'crash')
  else wait(job, 'pending', now, CRASHED, now, 'crash')
  job.unconfirmed = unconfirmed
}

/** The job is free again; `word` is what ended an attempt, if one ended. Where it would be pending, its key may be full. */
export function wait(job: ModelJob, to: Status, runAt: number, error: string | null, now: number, word?: string): void {
  const status = to === 'pending' && job.key && !job.key.admits(job, now) ? 'blocked' : to
  if (word) job.ends.set(job.version, { word, status, runAt })
  if (status !== 'completed') job.request = null
  // The worker of a completed job stays stored.
  const worker = status === 'completed' ? job.worker : null
  const free = { worker, leaseUntil: null, leaseMs: null, cancelAskedAt: null, finishedAt: null, unconfirmed: 0 }
  move(job, status)
  Object.assign(job, { ...free, runAt, error })
}

export function move(job: ModelJob, to: Status): void {
  const from = job.status
  job.status = to
  job.key?.moved(job, from, job.runAt)
}

export function finish(job: ModelJob, status: Status, error: string | null, now: number, word?: string): void {
  wait(job, status, job.runAt, error, now)
  if (word) job.ends.set(job.version, { word, status, runAt: null })
  job.finishedAt = now
}

export function leaseEnd(job: ModelJob, now: number): number {
  const { timeoutMs } = job.input
  const deadline = timeoutMs === null ? Number.POSITIVE_INFINITY : (job.startedAt ?? now) + timeoutMs + GRACE_MS
  return Math.min(now + (job.leaseMs ?? MODEL_DEFAULTS.leaseMs), deadline)
}

export function byClaimOrder(a: ModelJob, b: ModelJob): number {
  return b.input.priority - a.input.priority || a.runAt - b.runAt || a.seq - b.seq
}

function isSpent(job: ModelJob): boolean {
  return job.attempts >= (job.input.maxAttempts ?? MODEL_DEFAULTS.maxAttempts)
}
