/** Operator actions on one job: retry, run now, cancel, remove. */
import type { ActionResult } from '../../../../shared/job.ts'
import { isTerminal } from '../../../../shared/status.ts'
import { decideAction, type JobAction, keyTaken, refuseRemovalWhileProcessing } from '../../decisions/job-action.ts'
import type { LiveRow } from '../../rows/live-rows.ts'
import type { Row } from '../../rows/tables.ts'
import type { Client } from '../connection/open.ts'
import type { Removal } from '../upkeep/removal.ts'
import { KEY_HOLDER } from './insert.ts'
import type { LiveJobs } from './live-jobs.ts'

export class JobActions {
  private readonly live: LiveJobs
  private readonly removal: Removal
  private readonly otherHolder

  constructor(client: Client, live: LiveJobs, removal: Removal) {
    this.live = live
    this.removal = removal
    this.otherHolder = client
      .prepare<[type: string, key: string, seq: number], Row<'jobs'>['id']>(
        `SELECT id FROM millrace_jobs WHERE type = ? AND dedupe_key = ? AND ${KEY_HOLDER} AND seq <> ?`,
      )
      .pluck()
  }

  apply(action: JobAction, id: string, now: number): ActionResult {
    const job = this.live.get(id)
    if (action === 'remove') {
      refuseRemovalWhileProcessing(job)
      this.removal.remove(job, now)
      return { id, status: job.status, changed: true }
    }
    const transition = decideAction(action, job, now)
    if (!transition) return { id, status: job.status, changed: false }
    if (isTerminal(job.status)) this.refuseTakenKey(job)
    const { next } = this.live.apply(job, transition, now)
    return { id, status: next.status, changed: true }
  }

  /** A job that a backfill enqueued and no worker has claimed. */
  removeNew(job: LiveRow, now: number): boolean {
    if (job.status === 'processing') return false
    this.removal.remove(job, now)
    return true
  }

  refuseTakenKey(job: LiveRow): void {
    if (job.dedupeKey === null) return
    const holder = this.otherHolder.get(job.type, job.dedupeKey, job.seq)
    if (holder) throw keyTaken(job.id, job.dedupeKey, holder)
  }
}
