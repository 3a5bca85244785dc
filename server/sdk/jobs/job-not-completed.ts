/** `JobNotCompleted`: the error of a job that will not complete. */
import type { JobOutcome } from '../../../shared/outcomes.ts'

const MAX_REASON = 200

/** Thrown by `result()` when the job has failed permanently, was cancelled or was removed. */
export class JobNotCompleted extends Error {
  override readonly name = 'JobNotCompleted'
  /** The id of the job. */
  readonly id: string
  /** The final status; `missing`: there is no such job, or it was removed. */
  readonly status: Exclude<JobOutcome['status'], 'completed'>
  /** The error of the handler or the reason of the cancellation, without the worker's stack. */
  readonly reason: string

  constructor(outcome: Exclude<JobOutcome, { status: 'completed' }>) {
    const reason = reasonOf(outcome)
    const [line = ''] = reason.split('\n', 1)
    const short = line.length > MAX_REASON ? `${line.slice(0, MAX_REASON)}…` : line
    super(`Job ${outcome.id} did not complete (${outcome.status}): ${short}`)
    this.id = outcome.id
    this.status = outcome.status
    this.reason = reason
  }
}

/** Removes stack lines (`at …`), which attempts are stored with. */
function reasonOf(outcome: Exclude<JobOutcome, { status: 'completed' }>): string {
  if (outcome.status === 'missing') return 'there is no such job; it may have been removed'
  const lines = (outcome.error ?? '').split('\n').filter((line) => !/^\s+at /.test(line))
  return lines.join('\n').trim() || 'no reason was given'
}
