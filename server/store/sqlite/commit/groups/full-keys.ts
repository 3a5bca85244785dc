/** What a new job does while its key is full: it gives way to another, replaces those that wait, or asks the running ones to stop. */
import { REPLACED_ERROR, SKIPPED_ERROR } from '../../../../../shared/job-errors.ts'
import { cancelJob, dropJob } from '../../../../../shared/lifecycle.ts'
import type { Status } from '../../../../../shared/status.ts'
import { type Admission, MAX_REPLACED, NEW_SEQ } from '../../../decisions/group-admission.ts'
import type { JobGroup } from '../../../decisions/group-of-job.ts'
import { LIVE, type LiveRow, type LiveTuple, liveFromTuple } from '../../../rows/live-rows.ts'
import { columnsOf, type RowOf } from '../../../rows/tables.ts'
import type { Client } from '../../connection/open.ts'
import type { LiveJobs } from '../live-jobs.ts'
import type { Groups } from './groups.ts'
import { IS_UNFINISHED } from './key-jobs.ts'

const EXISTING = columnsOf('jobs', ['id', 'status'])
export type ExistingJob = RowOf<typeof EXISTING>

type OfKey = [name: string, key: string, except: number]

export class FullKeys {
  private readonly live: LiveJobs
  private readonly groups: Groups
  private readonly newest
  private readonly replaceable
  private readonly running

  constructor(client: Client, live: LiveJobs, groups: Groups) {
    this.live = live
    this.groups = groups
    const ofKey = `FROM millrace_jobs WHERE group_name = ? AND group_key = ? AND ${IS_UNFINISHED} AND seq <> ?`
    this.newest = client.prepare<OfKey, ExistingJob>(`SELECT ${EXISTING.list} ${ofKey} ORDER BY seq DESC LIMIT 1`)
    this.replaceable = client
      .prepare<OfKey, LiveTuple>(
        `SELECT ${LIVE.names} ${ofKey} AND (status IN ('blocked', 'pending') OR (status = 'scheduled' AND version = 0))
         ORDER BY seq LIMIT ${MAX_REPLACED}`,
      )
      .raw()
    // Their number ends the search before all jobs of the key are read.
    this.running = client
      .prepare<[...OfKey, limit: number], LiveTuple>(
        `SELECT ${LIVE.names} ${ofKey} AND status = 'processing' ORDER BY seq LIMIT ? + 0`,
      )
      .raw()
  }

  /** The newest unfinished job of the key; undefined: there is none, and the new one waits. */
  other({ name, key }: JobGroup, except = NEW_SEQ): ExistingJob | undefined {
    return this.newest.get(name, key, except)
  }

  /** The status of a new job that is due, after what it does to the other jobs of its key. */
  admit(group: JobGroup, admission: Admission, now: number, seq = NEW_SEQ): 'pending' | 'blocked' {
    if (admission === 'pending') return 'pending'
    if (admission === 'cancel') this.cancelRunning(group, seq, now)
    if (admission !== 'replace') return 'blocked'
    for (const row of this.replaceable.all(group.name, group.key, seq)) {
      const job = liveFromTuple(row)
      this.live.apply(job, dropJob(job, REPLACED_ERROR, now), now)
    }
    return this.groups.admission(group, 'wait', now, seq) === 'pending' ? 'pending' : 'blocked'
  }

  /** A delayed job that has become due. Its status afterwards; a skipped one is cancelled. */
  promote(group: JobGroup, { id, seq }: Pick<LiveRow, 'id' | 'seq'>, now: number): Status {
    const admission = this.groups.admission(group, null, now, seq)
    if (admission !== 'skip' || !this.other(group, seq)) return this.admit(group, admission, now, seq)
    const job = this.live.get(id)
    this.live.apply(job, dropJob(job, SKIPPED_ERROR, now), now)
    return 'cancelled'
  }

  private cancelRunning(group: JobGroup, except: number, now: number): void {
    const { processing } = this.groups.rows.entry(group).state
    if (processing === 0) return
    for (const row of this.running.all(group.name, group.key, except, processing)) {
      const job = liveFromTuple(row)
      const transition = cancelJob(job, now)
      if (transition) this.live.apply(job, transition, now)
    }
  }
}
