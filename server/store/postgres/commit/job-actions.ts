/** Operator actions on one job: retry, run now, cancel, remove. */
import type { ActionResult } from '../../../../shared/job.ts'
import { isTerminal } from '../../../../shared/status.ts'
import { decideAction, type JobAction, keyTaken, refuseRemovalWhileProcessing } from '../../decisions/job-action.ts'
import type { LiveRow } from '../../rows/live-rows.ts'
import type { Row } from '../../rows/tables.ts'
import type { Session } from '../connection/session.ts'
import { holdsKey } from './insert.ts'
import type { LiveJobs } from './live-jobs.ts'

export class JobActions {
  private readonly session: Session
  private readonly live: LiveJobs

  constructor(session: Session, live: LiveJobs) {
    this.session = session
    this.live = live
  }

  async apply(action: JobAction, id: string): Promise<ActionResult> {
    const job = this.live.get(id)
    if (action === 'remove') {
      refuseRemovalWhileProcessing(job)
      this.live.remove(job)
      return { id, status: job.status, changed: true }
    }
    const transition = decideAction(action, job, this.session.now)
    if (!transition) return { id, status: job.status, changed: false }
    if (isTerminal(job.status)) await this.refuseTakenKey(job)
    const { next } = this.live.apply(job, transition)
    return { id, status: next.status, changed: true }
  }

  /** A job that a backfill enqueued and no worker has claimed. */
  removeNew(job: LiveRow): boolean {
    if (job.status === 'processing') return false
    this.live.remove(job)
    return true
  }

  async refuseTakenKey(job: LiveRow): Promise<void> {
    if (job.dedupeKey === null) return
    this.live.flush()
    const [holder] = await this.session.rows<Row<'jobs', 'id'>>(
      'other-holder',
      `SELECT id FROM millrace_jobs WHERE type = $1 AND dedupe_key = $2 AND ${holdsKey('millrace_jobs')} AND seq <> $3`,
      [job.type, job.dedupeKey, job.seq],
    )
    if (holder) throw keyTaken(job.id, job.dedupeKey, holder.id)
  }
}
