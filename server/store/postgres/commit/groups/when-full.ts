/** What a job that has never run does to the others of its key, when the key is full. */
import type { EnqueueResult } from '../../../../../shared/job.ts'
import { REPLACED_ERROR } from '../../../../../shared/job-errors.ts'
import { cancelJob, dropJob } from '../../../../../shared/lifecycle.ts'
import { MAX_REPLACED } from '../../../decisions/group-admission.ts'
import type { JobGroup } from '../../../decisions/group-of-job.ts'
import { LIVE, type LiveRecord } from '../../../rows/live-rows.ts'
import type { Row } from '../../../rows/tables.ts'
import type { Session } from '../../connection/session.ts'
import type { LiveJobs } from '../live-jobs.ts'
import type { KeyRow } from './key-rows.ts'

const IS_UNFINISHED = 'group_name = $1 AND group_key = $2 AND finished_at IS NULL'

export class WhenFull {
  private readonly session: Session
  private readonly live: LiveJobs

  constructor(session: Session, live: LiveJobs) {
    this.session = session
    this.live = live
  }

  /** The newest other job of the key that is not finished, which stands for the new one. */
  async newest({ name, key }: JobGroup, seq: number): Promise<EnqueueResult | null> {
    const [job] = await this.session.rows<Row<'jobs', 'id' | 'status'>>(
      'newest-of-key',
      `SELECT id, status FROM millrace_jobs WHERE ${IS_UNFINISHED} AND seq <> $3 ORDER BY seq DESC LIMIT 1`,
      [name, key, seq],
    )
    return job ? { ...job, deduplicated: true } : null
  }

  /** Cancels the other jobs of the key that have yet to run. `seq`: the job that stays. */
  async replace({ name, key }: JobGroup, seq: number): Promise<void> {
    // Not those that another transaction holds: it may be claiming them, and wait for this key.
    const records = await this.session.rows<LiveRecord>(
      'replaced',
      `SELECT ${LIVE.list} FROM millrace_jobs
       WHERE ${IS_UNFINISHED} AND seq <> $3 AND (status IN ('blocked', 'pending') OR (status = 'scheduled' AND version = 0))
       ORDER BY seq LIMIT ${MAX_REPLACED} FOR UPDATE SKIP LOCKED`,
      [name, key, seq],
    )
    const { now } = this.session
    for (const job of this.live.keep(records)) this.live.apply(job, dropJob(job, REPLACED_ERROR, now))
    this.live.flush()
  }

  /** Requests the cancellation of the running jobs of the key. Their number ends the search before all its jobs are read. */
  async cancelRunning({ name, key, current: { processing } }: KeyRow): Promise<void> {
    if (processing === 0) return
    const records = await this.session.rows<LiveRecord>(
      'running-of-key',
      `SELECT ${LIVE.list} FROM millrace_jobs WHERE ${IS_UNFINISHED} AND status = 'processing' ORDER BY seq LIMIT $3 FOR UPDATE`,
      [name, key, processing],
    )
    for (const job of this.live.keep(records)) {
      const transition = cancelJob(job, this.session.now)
      if (transition) this.live.apply(job, transition)
    }
    this.live.flush()
  }
}
