/** The error of a job that will not complete. */
import type { JobOutcome } from '../../queue/queue.ts'

const MAX_REASON = 200

/** A job that will not complete: it failed for good, was cancelled, or is gone. */
export class JobNotCompleted extends Error {
  override readonly name = 'JobNotCompleted'
  /** The id of the job. */
  readonly id: string
  /** How the job ended; `missing`: there is no such job, or it has been removed. */
  readonly status: Exclude<JobOutcome['status'], 'completed'>
  /** What the handler threw, or why the job was cancelled: without the worker's stack. */
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

/** Attempts are stored with their stack; lines that begin with `at` are places in the worker's code. */
function reasonOf(outcome: Exclude<JobOutcome, { status: 'completed' }>): string {
  if (outcome.status === 'missing') return 'there is no such job; it may have been removed'
  const lines = (outcome.error ?? '').split('\n').filter((line) => !/^\s+at /.test(line))
  return lines.join('\n').trim() || 'no reason was given'
}
