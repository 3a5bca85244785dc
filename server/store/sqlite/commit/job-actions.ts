/** What operators do to one job: retry, run now, cancel, remove. */
import { QueueError } from '../../../../shared/errors.ts'
import type { ActResult } from '../../../../shared/job.ts'
import { cancelJob, retryJob, runJobNow, type Transition, wrongState } from '../../../../shared/lifecycle.ts'
import { isTerminal } from '../../../../shared/status.ts'
import type { OpOf } from '../../ops.ts'
import type { Client } from '../connection/open.ts'
import type { Removal } from '../upkeep/removal.ts'
import { KEY_HOLDER } from './insert.ts'
import type { LiveJobs, LiveRow } from './live-jobs.ts'

type Verb = OpOf<'act'>['verb']

export class Act {
  private readonly live: LiveJobs
  private readonly removal: Removal
  private readonly otherHolder

  constructor(client: Client, live: LiveJobs, removal: Removal) {
    this.live = live
    this.removal = removal
    this.otherHolder = client
      .prepare<[string, string, number], string>(
        `SELECT id FROM millrace_jobs WHERE type = ? AND dedupe_key = ? AND ${KEY_HOLDER} AND seq <> ?`,
      )
      .pluck()
  }

  act(verb: Verb, id: string, now: number): ActResult {
    const job = this.live.get(id)
    if (verb === 'remove') {
      if (job.status === 'processing') throw wrongState(job, 'removed', 'not processing (cancel it first)')
      this.removal.remove(job)
      return { id, status: job.status, changed: true }
    }
    const transition = this.decide(verb, job, now)
    if (!transition) return { id, status: job.status, changed: false }
    if (isTerminal(job.status)) this.refuseTakenKey(job)
    this.live.apply(job, transition, now)
    return { id, status: transition.next.status, changed: true }
  }

  /** A finished job that comes back needs its key again; someone else may have it by now. */
  refuseTakenKey(job: LiveRow): void {
    if (job.dedupeKey === null) return
    const holder = this.otherHolder.get(job.type, job.dedupeKey, job.seq)
    if (!holder) return
    throw new QueueError(
      'DUPLICATE_KEY',
      `Job ${holder} now holds the key ${job.dedupeKey}; finish or remove it first.`,
      {
        id: job.id,
        holder,
        dedupeKey: job.dedupeKey,
      },
    )
  }

  private decide(verb: Exclude<Verb, 'remove'>, job: LiveRow, now: number): Transition | null {
    switch (verb) {
      case 'retry':
        return retryJob(job, now)
      case 'runNow':
        return runJobNow(job, now)
      case 'cancel':
        return cancelJob(job, now)
    }
  }
}
