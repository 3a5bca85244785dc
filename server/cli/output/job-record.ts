/** A job in JSON output: the fields of the API and those of a QueueCTL record. */

import type { JobSummary } from '../../../shared/job.ts'
import { SECOND } from '../../../shared/limits.ts'
import type { Queue } from '../../../shared/queue.ts'
import { queuectlState } from '../../../shared/vocabulary.ts'
import { roundedDuration } from './times.ts'

export type ListedJob = JobSummary & { readonly payload?: unknown; readonly result?: unknown }

/** Maximum attempts of a job: its own setting, else that of its type. */
export type AttemptsOf = (job: JobSummary) => number

export async function attemptsOf(queue: Queue): Promise<AttemptsOf> {
  const types = new Map((await queue.types()).map(({ name, effective }) => [name, effective.maxAttempts]))
  return (job) => job.maxAttempts ?? types.get(job.type) ?? job.attempts
}

export function jobRecord({ id, attempts, ...job }: ListedJob, maxAttempts: number) {
  const command = commandOf(job.payload)
  return {
    id,
    ...(command === null ? {} : { command }),
    state: queuectlState[job.status],
    /** QueueCTL counts failed runs here; `runs` counts all runs. */
    attempts: failuresOf({ status: job.status, attempts }),
    runs: attempts,
    max_retries: maxAttempts - 1,
    /** Seconds since 1970, as in QueueCTL. */
    run_after: Math.floor(job.runAt / SECOND),
    created_at: new Date(job.createdAt).toISOString(),
    updated_at: new Date(job.updatedAt).toISOString(),
    last_error: job.error,
    ...job,
  }
}

/** The current run and the run that completed the job have not failed. */
export function failuresOf({ status, attempts }: Pick<JobSummary, 'status' | 'attempts'>): number {
  return status === 'processing' || status === 'completed' ? Math.max(0, attempts - 1) : attempts
}

/** The command line of a command job, else null. */
export function commandOf(payload: unknown): string | null {
  if (typeof payload !== 'object' || payload === null || Object.keys(payload).length !== 1) return null
  if ('command' in payload && typeof payload.command === 'string') return payload.command
  if (!('argv' in payload) || !Array.isArray(payload.argv)) return null
  const words: readonly unknown[] = payload.argv
  return words.every((word) => typeof word === 'string') ? words.map(quoted).join(' ') : null
}

function quoted(word: string): string {
  return /^[\w@%+=:,./-]+$/.test(word) ? word : `'${word.replaceAll("'", `'\\''`)}'`
}

/** The command or payload of a job, with its last error. */
export function summarize(job: ListedJob): string {
  const what = commandOf(job.payload) ?? (job.payload === undefined ? '' : JSON.stringify(job.payload))
  return job.error === null || job.status === 'completed' ? what : `${what}  ✗ ${job.error}`
}

/** Time in the current state, or until due. */
export function timing(job: JobSummary, now: number): string {
  switch (job.status) {
    case 'scheduled':
      return job.runAt > now ? `due in ${roundedDuration(job.runAt - now)}` : 'due'
    case 'retrying':
      return job.runAt > now ? `retry in ${roundedDuration(job.runAt - now)}` : 'retry due'
    case 'blocked':
      return `blocked ${roundedDuration(now - job.runAt)}`
    case 'pending':
      return `ready ${roundedDuration(now - job.runAt)}`
    case 'processing':
      return `running ${roundedDuration(now - (job.startedAt ?? now))}`
    case 'completed':
    case 'failed':
      return `${roundedDuration(now - (job.finishedAt ?? now))} ago`
    case 'cancelled':
      return `cancelled ${roundedDuration(now - (job.finishedAt ?? now))} ago`
  }
}
