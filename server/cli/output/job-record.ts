/** A job as queuectl shows it: everything the API tells, and the same again under the names of QueueCTL's records. */
import type { JobSummary } from '../../../shared/job.ts'
import { SECOND } from '../../../shared/limits.ts'
import { queuectlState } from '../../../shared/vocabulary.ts'
import type { Queue } from '../../queue/queue.ts'
import { inWords } from '../input/times.ts'

export type ListedJob = JobSummary & { readonly payload?: unknown; readonly result?: unknown }

/** How many attempts a job has: its own number, else that of its type. */
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
    /** QueueCTL counts the runs that failed; `runs` counts all of them. */
    attempts: failuresOf({ status: job.status, attempts }),
    runs: attempts,
    max_retries: maxAttempts - 1,
    /** Seconds since 1970, as there. */
    run_after: Math.floor(job.runAt / SECOND),
    created_at: new Date(job.createdAt).toISOString(),
    updated_at: new Date(job.updatedAt).toISOString(),
    last_error: job.error,
    ...job,
  }
}

/** The run that goes on, and the one that completed the job, have not failed. */
export function failuresOf({ status, attempts }: Pick<JobSummary, 'status' | 'attempts'>): number {
  return status === 'processing' || status === 'completed' ? Math.max(0, attempts - 1) : attempts
}

/** The command line of a job that is one. */
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

/** What there is to do, in a few words. */
export function gist(job: ListedJob): string {
  const what = commandOf(job.payload) ?? (job.payload === undefined ? '' : JSON.stringify(job.payload))
  return job.error === null || job.status === 'completed' ? what : `${what}  ✗ ${job.error}`
}

/** Since when, or until when, it is what it is. */
export function timing(job: JobSummary, now: number): string {
  switch (job.status) {
    case 'scheduled':
      return job.runAt > now ? `due in ${inWords(job.runAt - now)}` : 'due'
    case 'retrying':
      return job.runAt > now ? `again in ${inWords(job.runAt - now)}` : 'due again'
    case 'pending':
      return `ready ${inWords(now - job.runAt)}`
    case 'processing':
      return `running ${inWords(now - (job.startedAt ?? now))}`
    case 'completed':
    case 'failed':
      return `${inWords(now - (job.finishedAt ?? now))} ago`
    case 'cancelled':
      return `cancelled ${inWords(now - (job.finishedAt ?? now))} ago`
  }
}
