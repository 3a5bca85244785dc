/** Outcomes of complete, fail and release, first and repeated. */
import { staleClaim } from '../../../shared/errors.ts'
import type { Attempt, AttemptOutcome, SettleResult } from '../../../shared/job.ts'
import { failJob, type LiveJob, releaseJob, type Transition } from '../../../shared/lifecycle.ts'
import type { EffectiveSettings } from '../../../shared/settings/settings.ts'
import { isTerminal } from '../../../shared/status.ts'
import type { Lease, OpOf } from '../ops.ts'
import { columnsOf, type RowOf } from '../rows/tables.ts'
import type { Measure } from '../store.ts'

export type SettleOp = OpOf<'complete'> | OpOf<'fail'> | OpOf<'release'>

const OUTCOMES: Record<SettleOp['kind'], AttemptOutcome> = {
  complete: 'completed',
  fail: 'failed',
  release: 'released',
}

export const RECORDED = columnsOf('jobAttempts', ['outcome', 'statusAfter', 'nextRunAt'])
export type RecordedOutcome = RowOf<typeof RECORDED>

export function completed({ id, version }: Lease): SettleResult {
  return { id, version, status: 'completed', runAt: null, repeated: false }
}

export function settleTransition(
  op: OpOf<'fail'> | OpOf<'release'>,
  job: LiveJob,
  settings: EffectiveSettings,
  now: number,
): Transition {
  return op.kind === 'fail' ? failJob(job, op.failure, settings, now) : releaseJob(job, op.delayMs, now)
}

export function settled({ id, version }: Lease, { next: { status, runAt } }: Transition): SettleResult {
  return { id, version, status, runAt: isTerminal(status) ? null : runAt, repeated: false }
}

/** The attempt that completes a job has no row: the job's own row records it. */
export function recordedOnJob(job: Pick<LiveJob, 'status' | 'version'>, version: number): RecordedOutcome | undefined {
  if (job.status !== 'completed' || job.version !== version) return undefined
  return { outcome: 'completed', statusAfter: 'completed', nextRunAt: null }
}

/** The response may have been lost: the same call again gets the recorded outcome, any other call is stale. */
export function repeated(op: SettleOp, recorded: RecordedOutcome | undefined): SettleResult {
  const { id, version } = op
  if (recorded?.outcome !== OUTCOMES[op.kind]) throw staleClaim(id, version)
  return { id, version, status: recorded.statusAfter, runAt: recorded.nextRunAt, repeated: true }
}

/** undefined: the attempt was released, and did not run. */
export function attemptMeasure(
  { outcome, startedAt, worker }: Attempt,
  ownMs: number | undefined,
  now: number,
): Measure | undefined {
  if (outcome === 'released') return undefined
  return { runMs: now - startedAt, ownMs, attemptFailed: outcome === 'failed' || outcome === 'crashed', worker }
}
