/** New jobs of a commit: checked, admitted to their keys and inserted; each operation is refused alone. */
import { QueueError } from '../../../../shared/errors.ts'
import { WEBHOOK_TYPE } from '../../../../shared/reserved-types.ts'
import type { JobGroup } from '../../decisions/group-of-job.ts'
import type { Enqueued } from '../../decisions/schedule-change.ts'
import { type FailedJob, failureNotice } from '../../failure-notice.ts'
import type { NewJob, Op, OpOf, Outcome } from '../../ops.ts'
import type { Catalog } from '../claims/catalog.ts'
import type { Session } from '../connection/session.ts'
import type { CommitContext } from './context.ts'
import type { Groups } from './groups/groups.ts'
import { NewGroupedJobs } from './groups/new-jobs.ts'
import { Insert } from './insert.ts'
import { keyToCancel, refuseMixedKinds } from './jobs-of.ts'
import { outcomeOf } from './outcome-of.ts'

export class Enqueuing {
  private readonly session: Session
  private readonly catalog: Catalog
  private readonly groups: Groups
  private readonly newGrouped: NewGroupedJobs
  private readonly insert: Insert

  constructor(context: CommitContext) {
    this.session = context.session
    this.catalog = context.catalog
    this.groups = context.groups
    this.newGrouped = new NewGroupedJobs(context)
    this.insert = new Insert(context.session, context.ledger, this.newGrouped)
  }

  /** Keys of new jobs; a job with an invalid one has none here, and its operation is refused later. */
  groupsOf(jobs: readonly NewJob[]): readonly JobGroup[] {
    try {
      return jobs.flatMap((job) => this.newGrouped.groupOf(job) ?? [])
    } catch (error) {
      if (error instanceof QueueError) return []
      throw error
    }
  }

  /** The key whose running jobs a new one may cancel: they are locked before their key, as in every commit. */
  cancelledBy(job: NewJob): readonly JobGroup[] {
    if (keyToCancel(job).length > 0) return []
    return this.groupsOf([job]).filter(
      ({ name }) => (job.whenFull ?? this.catalog.groupRules(name).whenFull) === 'cancel',
    )
  }

  async enqueue(ops: readonly Op[], indexes: readonly number[], outcomes: Outcome[]): Promise<void> {
    const accepted: { readonly index: number; readonly op: OpOf<'enqueue'> }[] = []
    for (const index of indexes) {
      const op = ops[index]
      if (op?.kind !== 'enqueue') continue
      const outcome = await outcomeOf(() => this.admit(op))
      outcomes[index] = outcome
      if (outcome.ok) accepted.push({ index, op })
    }
    if (accepted.length === 0) return
    // Those of types that this commit has declared may be new.
    await this.groups.lock(accepted.flatMap(({ op }) => this.groupsOf(op.jobs)))
    // Others that store the same dedupe keys wait for this commit, and may hold the keys of its claims.
    if (accepted.some(({ op }) => op.jobs.some(({ dedupeKey }) => dedupeKey !== null))) this.groups.neverWait()
    const results = await this.insert.enqueue(accepted.map(({ op }) => op))
    for (const [place, { index }] of accepted.entries()) outcomes[index] = { ok: true, value: results[place] }
  }

  /** Each job is stored or refused alone. */
  async enqueueEach(jobs: readonly NewJob[]): Promise<ReadonlyMap<NewJob, Enqueued>> {
    const results = new Map<NewJob, Enqueued>()
    const accepted: OpOf<'enqueue'>[] = []
    for (const job of jobs) {
      const op = { kind: 'enqueue', jobs: [job] } as const
      const outcome = await outcomeOf(() => this.admit(op))
      if (outcome.ok) accepted.push(op)
      else results.set(job, outcome.error)
    }
    if (accepted.length === 0) return results
    await this.groups.lock(accepted.flatMap((op) => this.groupsOf(op.jobs)))
    const inserted = await this.insert.enqueue(accepted)
    accepted.forEach(({ jobs: [job] }, place) => {
      const result = inserted[place]?.[0]
      if (job && result) results.set(job, result)
    })
    return results
  }

  /** Checks twice: another node may add the type at the same time, with another kind. */
  private async admit(op: OpOf<'enqueue'>): Promise<void> {
    refuseMixedKinds(op)
    const types = op.jobs.map(({ type, kind }) => ({ name: type, kind }))
    for (const { name, kind } of types) this.catalog.refuseOtherKind(name, kind)
    await this.catalog.ensureTypes(this.session, types)
    for (const { name, kind } of types) this.catalog.refuseOtherKind(name, kind)
    for (const job of op.jobs) this.newGrouped.groupOf(job)
  }

  /** Enqueues the webhook jobs of failures. Never refused: the failures are decided already. */
  async enqueueNotices(all: readonly FailedJob[]): Promise<void> {
    const failed = all.filter(({ job }) => this.catalog.hasFailureWebhook(job.type))
    if (failed.length === 0) return
    await this.catalog.ensureTypes(this.session, [{ name: WEBHOOK_TYPE, kind: 'system' }])
    const kind = this.catalog.type(WEBHOOK_TYPE)?.kind ?? 'system'
    await this.insert.enqueue([{ kind: 'enqueue', jobs: failed.map((job) => failureNotice(job, kind)) }])
  }
}
