/** Says in one sentence why a job is not running, or why it ran again. Pure: everything it needs is handed in. */
import type { Attempt, JobSummary } from '../../shared/job.ts'
import type { StatusCounts } from '../../shared/status.ts'
import type { EffectiveSettings } from '../../shared/type-settings.ts'

export interface Explanation {
  readonly id: string
  readonly status: JobSummary['status']
  /** For programs; `text` is for people. */
  readonly reason:
    | 'scheduled'
    | 'retrying'
    | 'queue_paused'
    | 'type_paused'
    | 'at_max_concurrency'
    | 'rate_limited'
    | 'no_worker'
    | 'ready'
    | 'processing'
    | 'cancelling'
    | 'lease_ended'
    | 'completed'
    | 'failed'
    | 'cancelled'
  readonly text: string
  /** Why it ran more than once, oldest first. */
  readonly history: readonly string[]
}

export interface ExplainFacts {
  readonly job: JobSummary
  readonly attempts: readonly Attempt[]
  readonly now: number
  readonly queuePaused: boolean
  readonly settings: EffectiveSettings
  readonly counts: StatusCounts
  /** Claimable jobs of this type right now, all limits considered. */
  readonly claimable: number
  /** Workers heard of lately that take this type. */
  readonly workers: number
}

export function explain(facts: ExplainFacts): Explanation {
  const { job, attempts } = facts
  const [reason, text] = why(facts)
  return { id: job.id, status: job.status, reason, text, history: attempts.map(story) }
}

function why(facts: ExplainFacts): [Explanation['reason'], string] {
  const { job, now } = facts
  const maxAttempts = job.maxAttempts ?? facts.settings.maxAttempts
  switch (job.status) {
    case 'scheduled':
      return ['scheduled', `It is scheduled for ${utc(job.runAt)}, ${inWords(job.runAt - now)} from now.`]
    case 'retrying':
      return [
        'retrying',
        `Attempt ${job.attempts} of ${maxAttempts} failed; it runs again at ${utc(job.runAt)}, ${inWords(job.runAt - now)} from now.`,
      ]
    case 'pending':
      return whyPending(facts)
    case 'processing':
      return whyProcessing(job, now)
    case 'completed':
      return ['completed', `It was completed on attempt ${job.attempts}.`]
    case 'failed':
      return [
        'failed',
        `It failed for good after ${job.attempts} of ${maxAttempts} attempts: ${job.error ?? 'no reason given'}.`,
      ]
    case 'cancelled':
      return ['cancelled', job.error ? `It was cancelled: ${job.error}.` : 'It was cancelled before it finished.']
  }
}

function whyPending(facts: ExplainFacts): [Explanation['reason'], string] {
  const { job, settings, counts, now } = facts
  if (facts.queuePaused) return ['queue_paused', 'The whole queue is paused; resume it.']
  if (settings.paused) return ['type_paused', `Type ${job.type} is paused; resume it.`]
  if (settings.maxConcurrency !== null && counts.processing >= settings.maxConcurrency) {
    return [
      'at_max_concurrency',
      `${counts.processing} jobs of type ${job.type} are running, as many as its limit allows.`,
    ]
  }
  if (facts.claimable === 0) return ['rate_limited', `The rate limit for type ${job.type} is used up for the moment.`]
  if (facts.workers === 0) {
    return ['no_worker', `It is ready, but no worker that takes type ${job.type} has been heard of in the last minute.`]
  }
  return [
    'ready',
    `It has been ready for ${inWords(now - job.runAt)}; ${counts.pending - 1} other jobs of its type are ready too.`,
  ]
}

function whyProcessing(job: JobSummary, now: number): [Explanation['reason'], string] {
  const worker = job.lockedBy ?? 'a worker'
  if (job.cancelRequestedAt !== null) return ['cancelling', `${worker} was asked to stop it and has not answered yet.`]
  if (job.leaseUntil !== null && job.leaseUntil < now) {
    return [
      'lease_ended',
      `The lease of ${worker} ended ${inWords(now - job.leaseUntil)} ago; it is about to be taken back.`,
    ]
  }
  return ['processing', `${worker} has been running it for ${inWords(now - (job.startedAt ?? now))}.`]
}

function story(attempt: Attempt): string {
  const worker = attempt.worker ?? 'a worker'
  const after = inWords(attempt.finishedAt - attempt.startedAt)
  switch (attempt.outcome) {
    case 'completed':
      return `${worker} completed it after ${after}.`
    case 'failed':
      return `${worker} reported a failure after ${after}: ${attempt.error ?? 'no reason given'}`
    case 'released':
      return `${worker} gave it back after ${after}; that attempt does not count.`
    case 'crashed':
      return `${worker} was not heard of again; its lease ended after ${after}.`
  }
}

function utc(at: number): string {
  return `${new Date(at).toISOString().slice(0, 19).replace('T', ' ')} UTC`
}

function inWords(ms: number): string {
  const seconds = Math.max(0, ms) / 1_000
  if (seconds < 1) return `${Math.round(seconds * 1_000)} ms`
  if (seconds < 120) return `${Math.round(seconds)} s`
  if (seconds < 7_200) return `${Math.round(seconds / 60)} min`
  if (seconds < 172_800) return `${Math.round(seconds / 3_600)} h`
  return `${Math.round(seconds / 86_400)} days`
}
