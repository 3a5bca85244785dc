/** What operators do to one job: retry, run now, cancel, remove. */
import { QueueError } from '../../../../shared/errors.ts'
import type { ActResult } from '../../../../shared/job.ts'
import { cancelJob, retryJob, runJobNow, type Transition, wrongState } from '../../../../shared/lifecycle.ts'
import { isTerminal } from '../../../../shared/status.ts'
import type { OpOf } from '../../ops.ts'
import type { Session } from '../connection/session.ts'
import { holdsKey } from './insert.ts'
import type { LiveJobs, LiveRow } from './live-jobs.ts'

type Verb = OpOf<'act'>['verb']

export class Act {
  private readonly session: Session
  private readonly live: LiveJobs

  constructor(session: Session, live: LiveJobs) {
    this.session = session
    this.live = live
  }

  async act(verb: Verb, id: string): Promise<ActResult> {
    const job = this.live.get(id)
    if (verb === 'remove') {
      if (job.status === 'processing') throw wrongState(job, 'removed', 'not processing (cancel it first)')
      this.live.remove(job)
      return { id, status: job.status, changed: true }
    }
    const transition = this.decide(verb, job)
    if (!transition) return { id, status: job.status, changed: false }
    if (isTerminal(job.status)) await this.refuseTakenKey(job)
    this.live.apply(job, transition)
    return { id, status: transition.next.status, changed: true }
  }

  /** A finished job that comes back needs its key again; someone else may have it by now. */
  async refuseTakenKey(job: LiveRow): Promise<void> {
    if (job.dedupeKey === null) return
    this.live.flush()
    const [holder] = await this.session.rows<{ id: string }>(
      'other-holder',
      `SELECT id FROM millrace_jobs WHERE type = $1 AND dedupe_key = $2 AND ${holdsKey('millrace_jobs')} AND seq <> $3`,
      [job.type, job.dedupeKey, job.seq],
    )
    if (!holder) return
    throw new QueueError(
      'DUPLICATE_KEY',
      `Job ${holder.id} now holds the key ${job.dedupeKey}; finish or remove it first.`,
      { id: job.id, holder: holder.id, dedupeKey: job.dedupeKey },
    )
  }

  private decide(verb: Exclude<Verb, 'remove'>, job: LiveRow): Transition | null {
    const { now } = this.session
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
