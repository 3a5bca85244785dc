/** Explains in one sentence why a job is not running, or why it ran again. Pure. */
import type { Explanation } from '../../../../shared/explanation.ts'
import type { GroupKeyRow } from '../../../../shared/groups/records.ts'
import type { Attempt, JobSummary } from '../../../../shared/job.ts'
import { isSetAside } from '../../../../shared/lifecycle.ts'
import { isTerminal } from '../../../../shared/status.ts'
import { blockedAt, groupPosition, whyBlocked } from './explain-blocked.ts'
import { formatDuration } from './explain-format.ts'
import { type PendingFacts, positionOf, whyPending } from './explain-pending.ts'

export interface ExplainFacts extends PendingFacts {
  readonly attempts: readonly Attempt[]
  /** When the settings of the type last changed. */
  readonly settingsAt: number
  /** The key of the job in its group; null: it has none. */
  readonly key: GroupKeyRow | null
  /** Blocked jobs of the key before this one, counted up to one more than `MOST_AHEAD`. */
  readonly aheadInKey: number
}

export function explain(facts: ExplainFacts): Explanation {
  const { job, attempts } = facts
  const line = job.status === 'pending' ? positionOf(facts) : null
  const group = isTerminal(job.status) ? null : groupPosition(facts)
  const [reason, text] = line ? whyPending(facts, line) : why(facts)
  const isDue = job.status === 'scheduled' || job.status === 'retrying'
  const at = isDue ? job.runAt : job.status === 'blocked' ? blockedAt(facts) : (line?.estimatedAt ?? null)
  return {
    id: job.id,
    type: job.type,
    status: job.status,
    reason,
    text,
    at,
    line,
    group,
    history: attempts.map(explainAttempt),
  }
}

function why(facts: ExplainFacts): readonly [Explanation['reason'], string] {
  const { job, now } = facts
  switch (job.status) {
    case 'scheduled':
      return ['scheduled', `It is scheduled, and due in ${formatDuration(job.runAt - now)}.`]
    case 'retrying':
      return [
        'retrying',
        `Attempt ${job.attempts} of ${maxAttemptsOf(facts)} failed; it runs again in ${formatDuration(job.runAt - now)}.`,
      ]
    case 'blocked':
      return ['blocked', whyBlocked(facts)]
    case 'pending':
      return whyPending(facts, positionOf(facts))
    case 'processing':
      return whyProcessing(job, now)
    case 'completed':
      return ['completed', `It was completed on attempt ${job.attempts}.`]
    case 'failed':
      if (isSetAside(job)) {
        return [
          'set_aside',
          `It was set aside: its worker crashed ${job.crashes} times while running it, the last time alone. Fix the cause before you retry it: a retry runs it on a worker again.`,
        ]
      }
      return ['failed', whyFailed(facts)]
    case 'cancelled':
      return ['cancelled', job.error ? `It was cancelled: ${job.error}.` : 'It was cancelled before it finished.']
  }
}

/** If attempts were left, the handler threw an error that is not retried. */
function whyFailed(facts: ExplainFacts): string {
  const { job, attempts, settingsAt } = facts
  const most = maxAttemptsOf(facts)
  const error = job.error ?? 'no reason given'
  const last = attempts.at(-1)
  if (job.attempts >= most || last?.outcome !== 'failed') {
    return `It failed for good after ${job.attempts} of ${most} attempts: ${error}.`
  }
  // The limit may have been lower when it failed.
  if (job.maxAttempts === null && settingsAt > last.finishedAt) {
    return `It failed for good on attempt ${job.attempts} (${most} are allowed now): ${error}.`
  }
  return `Its handler failed it for good, without a retry, on attempt ${job.attempts} of ${most}: ${error}.`
}

function maxAttemptsOf({ job, settings }: ExplainFacts): number {
  return job.maxAttempts ?? settings.maxAttempts
}

function whyProcessing(job: JobSummary, now: number): readonly [Explanation['reason'], string] {
  const worker = job.lockedBy ?? 'a worker'
  if (job.cancelRequestedAt !== null) return ['cancelling', `${worker} was asked to stop it and has not responded yet.`]
  if (job.leaseUntil !== null && job.leaseUntil < now) {
    return [
      'lease_ended',
      `The lease of ${worker} ended ${formatDuration(now - job.leaseUntil)} ago; it is about to be taken back.`,
    ]
  }
  return ['processing', `${worker} has been running it for ${formatDuration(now - (job.startedAt ?? now))}.`]
}

function explainAttempt(attempt: Attempt): string {
  const worker = attempt.worker ?? 'a worker'
  const after = formatDuration(attempt.finishedAt - attempt.startedAt)
  switch (attempt.outcome) {
    case 'completed':
      return `${worker} completed it after ${after}.`
    case 'failed':
      return `${worker} reported a failure after ${after}: ${attempt.error ?? 'no reason given'}`
    case 'released':
      return attempt.error === null
        ? `${worker} gave it back after ${after}; that attempt does not count.`
        : `${worker} did not confirm that it had received it; the lease ended after ${after}, and that attempt does not count.`
    case 'crashed':
      return `${worker} sent no more heartbeats; its lease ended after ${after}.`
  }
}
