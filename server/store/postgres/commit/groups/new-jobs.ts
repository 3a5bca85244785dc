/** New jobs with keys: each is admitted to its key, or follows the rule of the group for a full key. */
import type { EnqueueResult } from '../../../../../shared/job.ts'
import type { Status } from '../../../../../shared/status.ts'
import { firstRunAt } from '../../../decisions/first-run.ts'
import { admissionOfNew, NEW_SEQ } from '../../../decisions/group-admission.ts'
import { groupOf, type JobGroup } from '../../../decisions/group-of-job.ts'
import { afterMove, type KeyState } from '../../../decisions/group-slots.ts'
import type { NewJob } from '../../../ops.ts'
import type { CommitContext } from '../context.ts'
import { type InsertBatch, type Placement, UNGROUPED } from '../insert.ts'
import type { KeyRow } from './key-rows.ts'
import { WhenFull } from './when-full.ts'

export class NewGroupedJobs {
  private readonly context: CommitContext
  private readonly whenFull: WhenFull
  private readonly groups = new Map<NewJob, JobGroup | null>()
  /** The keys after the jobs that are placed, but not yet inserted. */
  private readonly drafts = new Map<KeyRow, KeyState>()
  /** Answers to skipped jobs, until a job of the key is inserted. */
  private readonly newest = new Map<KeyRow, EnqueueResult>()

  constructor(context: CommitContext) {
    this.context = context
    this.whenFull = new WhenFull(context.session, context.live)
  }

  /** Refuses a job whose payload has no valid key. */
  groupOf(job: NewJob): JobGroup | null {
    const known = this.groups.get(job)
    if (known !== undefined) return known
    const group = groupOf(job, this.context.catalog.effective(job.type).group)
    this.groups.set(job, group)
    return group
  }

  /** In order: a rule for a full key sees the jobs before. */
  async store(jobs: readonly NewJob[], batch: InsertBatch): Promise<void> {
    for (const job of jobs) {
      const group = this.groupOf(job)
      if (!group) batch.add(job, UNGROUPED)
      else await this.place(job, group, batch)
    }
    await this.storeBatch(batch)
  }

  /** A job of the batch was stored. */
  inserted(job: NewJob, seq: number, status: Status): void {
    const group = this.groupOf(job)
    if (!group) return
    const { groups } = this.context
    groups.move({ seq, groupName: group.name, groupKey: group.key }, null, status)
    this.newest.delete(groups.keyOf(group))
  }

  private async place(job: NewJob, group: JobGroup, batch: InsertBatch): Promise<void> {
    const { groups, session } = this.context
    if (firstRunAt(job, session.now) > session.now) return batch.add(job, { group, status: 'scheduled' })
    const row = groups.keyOf(group)
    let admission = this.admission(job, row)
    if (admission !== 'pending' && admission !== 'wait') {
      await this.storeBatch(batch)
      admission = this.admission(job, row)
    }
    if (admission === 'pending' || admission === 'wait')
      return this.add(job, row, batch, admission === 'wait' ? 'blocked' : 'pending')
    const existing = (await batch.existing(job)) ?? (admission === 'skip' ? await this.newestOf(row) : null)
    if (existing) return batch.answer(job, existing)
    if (admission === 'replace') await this.whenFull.replace(group, NEW_SEQ)
    if (admission === 'cancel') await this.whenFull.cancelRunning(row)
    const isAdmitted = admission === 'replace' && this.admission(job, row) === 'pending'
    this.add(job, row, batch, isAdmitted ? 'pending' : 'blocked')
  }

  private add(job: NewJob, row: KeyRow, batch: InsertBatch, status: Status): void {
    const { groups, session } = this.context
    const state = this.drafts.get(row) ?? row.current
    this.drafts.set(row, afterMove(state, { seq: NEW_SEQ, from: null, to: status }, groups.rulesOf(row), session.now))
    batch.add(job, { group: row, status } satisfies Placement)
  }

  private admission(job: NewJob, row: KeyRow) {
    const { groups, session } = this.context
    return admissionOfNew(this.drafts.get(row) ?? row.current, groups.rulesOf(row), job.whenFull, session.now)
  }

  private async newestOf(row: KeyRow): Promise<EnqueueResult | null> {
    const newest = this.newest.get(row) ?? (await this.whenFull.newest(row, NEW_SEQ))
    if (newest) this.newest.set(row, newest)
    return newest
  }

  private async storeBatch(batch: InsertBatch): Promise<void> {
    await batch.store()
    this.drafts.clear()
  }
}
