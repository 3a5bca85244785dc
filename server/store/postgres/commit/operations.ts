/** All operations of one commit in one transaction, in phases; refusals are thrown before the first write. */
import { isCounted } from '../../decisions/group-admission.ts'
import { scheduleOf } from '../../decisions/schedule-change.ts'
import type { FailedJob } from '../../failure-notice.ts'
import type { Op, OpKind, OpOf, Outcome } from '../../ops.ts'
import { phaseOf } from '../../phases.ts'
import { Claim } from '../claims/claim.ts'
import type { Session } from '../connection/session.ts'
import { Removal } from '../upkeep/removal.ts'
import { Bulk } from './bulk.ts'
import type { Mark } from './commit-outcome.ts'
import type { CommitContext } from './context.ts'
import { Control } from './control.ts'
import { Depths } from './depths.ts'
import { promote, renewLeases, rescue } from './due.ts'
import { Enqueuing } from './enqueuing.ts'
import { admitBlocked } from './groups/admit-blocked.ts'
import { Groups, groupOf } from './groups/groups.ts'
import { lockGroupRules, updateGroup } from './groups/update-group.ts'
import { JobActions } from './job-actions.ts'
import { addsNoKeys, idsOf, keyToCancel, newJobsOf } from './jobs-of.ts'
import { LiveJobs } from './live-jobs.ts'
import { outcomeOf } from './outcome-of.ts'
import { heartbeat, log, progress } from './running.ts'
import { Schedules } from './schedules.ts'
import { settle } from './settle.ts'
import { Tokens } from './tokens.ts'

/** A claim first promotes the due jobs, up to this many; the scheduler promotes the rest. */
const PROMOTE_BEFORE_CLAIM = 1_000

/** Operations that need the locks of Control.lockRules. */
const CHANGES_RULES: ReadonlySet<OpKind> = new Set<OpKind>(['declareTypes', 'overrideType', 'putSettings'])

type OwnOp = Exclude<Op, OpOf<'enqueue'> | OpOf<'claim'> | OpOf<'schedule'>>

export class Operations {
  private readonly session: Session
  private readonly live: LiveJobs
  private readonly groups: Groups
  private readonly context: CommitContext
  private readonly enqueuing: Enqueuing
  private readonly claim: Claim
  private readonly removal: Removal
  private readonly jobActions: JobActions
  private readonly control: Control
  private readonly bulk: Bulk
  private readonly schedules: Schedules
  private readonly tokens: Tokens
  private readonly depths: Depths
  private readonly failed: FailedJob[] = []

  constructor(parts: Omit<CommitContext, 'live' | 'groups'>) {
    const { session, catalog, trust } = parts
    this.session = session
    this.groups = new Groups(parts)
    const onCompleted = (tick: string) => this.schedules.jobEnded(tick, true)
    const hooks = { onFailed: (failed: FailedJob) => this.onFailed(failed), onCompleted }
    this.live = new LiveJobs({ ...parts, groups: this.groups }, hooks)
    this.context = { ...parts, live: this.live, groups: this.groups }
    this.enqueuing = new Enqueuing(this.context)
    this.claim = new Claim({ ...this.context, onCompleted })
    this.removal = new Removal(this.context)
    this.jobActions = new JobActions(session, this.live)
    this.control = new Control(session, catalog, trust)
    this.schedules = new Schedules({
      session,
      control: this.control,
      trust,
      enqueue: (jobs) => this.enqueuing.enqueueEach(jobs),
    })
    this.bulk = new Bulk(this.context, this.jobActions, this.control, this.schedules)
    this.depths = new Depths(session)
    this.tokens = new Tokens(session, this.control)
  }

  /** Locks all jobs that the commit decides about, before its first decision. */
  async lock(ops: readonly Op[]): Promise<void> {
    const ids = ops.flatMap(idsOf)
    const { catalog } = this.context
    if (ops.every((op) => addsNoKeys(op, catalog))) await this.live.lockWithKeys(ids)
    else {
      await this.live.lock(ids)
      // Jobs of schedules name their key; for others the rules must be loaded first.
      await this.live.lockRunning(ops.flatMap(newJobsOf).flatMap(keyToCancel))
    }
    await this.lockSchedules(ops)
    if (ops.some(({ kind }) => CHANGES_RULES.has(kind))) await this.control.lockRules()
    if (ops.some((op) => op.kind === 'updateGroup' && op.key === null)) await lockGroupRules(this.session)
  }

  /** Those that change, and those whose jobs end: before the keys of the jobs, as in every commit. */
  private async lockSchedules(ops: readonly Op[]): Promise<void> {
    const names = ops.flatMap((op) => (op.kind === 'schedule' ? [op.name] : []))
    for (const { tick } of this.live.all()) {
      const name = scheduleOf(tick)
      if (name !== null) names.push(name)
    }
    await this.schedules.lock(names)
  }

  /** All keys that are known before the first decision, in the order of all commits. The rules must be loaded. */
  async lockGroups(ops: readonly Op[]): Promise<void> {
    await this.live.lockRunning(ops.flatMap(newJobsOf).flatMap((job) => this.enqueuing.cancelledBy(job)))
    const jobs = [...this.live.all()]
    const groups = jobs.flatMap((job) => groupOf(job) ?? [])
    for (const op of ops) {
      groups.push(...this.enqueuing.groupsOf(newJobsOf(op)))
      if (op.kind === 'updateGroup' && op.key !== null) groups.push({ name: op.name, key: op.key })
    }
    if (groups.length === 0) return
    const isNew = groups.length > jobs.length || !jobs.every(({ status }) => isCounted(status))
    await (isNew ? this.groups.lock(groups) : this.groups.lockOf(jobs))
  }

  async run(ops: readonly Op[]): Promise<readonly Outcome[]> {
    if (ops.some(({ kind }) => kind === 'updateGroup' || CHANGES_RULES.has(kind))) this.context.pass.restart()
    const outcomes = new Array<Outcome>(ops.length)
    const phases: number[][] = [[], [], [], []]
    for (const [index, op] of ops.entries()) phases[phaseOf(op.kind)]?.push(index)
    const [first = [], inserts = [], due = [], claims = []] = phases
    await this.oneByOne(ops, first, outcomes)
    const handedOn = this.groups.handOn()
    // Else the claims send their statements behind those of the hand-on.
    if (claims.length === 0 || this.isBetween(ops, first.length + claims.length)) {
      await handedOn
      await this.changeSchedules(ops, outcomes)
      await this.enqueuing.enqueue(ops, inserts, outcomes)
      await this.groups.handOn()
      await this.oneByOne(ops, due, outcomes)
      await this.groups.handOn()
      await this.enqueuing.enqueueNotices(this.failed.splice(0))
    }
    await this.claimAll(ops, claims, outcomes, handedOn)
    await this.groups.handOn()
    this.groups.flush()
    await this.schedules.flush()
    this.control.flush()
    this.control.writeTrail()
    return outcomes
  }

  /** Whether the commit has more to do before its claims than what its first phase did. */
  private isBetween(ops: readonly Op[], firstAndClaims: number): boolean {
    return firstAndClaims < ops.length || this.failed.length > 0 || ops.some(({ kind }) => kind === 'schedule')
  }

  /** Jobs with crashes exist, as the claims of this commit have seen. */
  get isIsolating(): boolean {
    return this.claim.isolate() !== null
  }

  /** Of the transaction, as its claims have read it. */
  get mark(): Mark | null {
    return this.claim.mark
  }

  /** Types of the jobs with keys that its claims have found. */
  get groupedTypes(): ReadonlySet<string> {
    return this.groups.claimedTypes()
  }

  private async oneByOne(ops: readonly Op[], indexes: readonly number[], outcomes: Outcome[]): Promise<void> {
    for (const index of indexes) {
      const op = ops[index]
      if (!op || op.kind === 'enqueue' || op.kind === 'claim' || op.kind === 'schedule') continue
      outcomes[index] = await outcomeOf(() => this.one(op))
    }
    this.live.flush()
  }

  private async changeSchedules(ops: readonly Op[], outcomes: Outcome[]): Promise<void> {
    const changes = ops.flatMap((op, index) => (op.kind === 'schedule' ? [{ op, index }] : []))
    if (changes.length === 0) return
    const values = await this.schedules.changeAll(changes.map(({ op }) => op))
    changes.forEach(({ index }, place) => {
      outcomes[index] = { ok: true, value: values[place] }
    })
  }

  private onFailed(failed: FailedJob): void {
    if (failed.job.tick !== null) this.schedules.jobEnded(failed.job.tick, false)
    this.failed.push(failed)
  }

  private async claimAll(
    ops: readonly Op[],
    indexes: readonly number[],
    outcomes: Outcome[],
    handedOn: Promise<unknown>,
  ): Promise<void> {
    const claims = indexes.flatMap((index) => {
      const op = ops[index]
      return op?.kind === 'claim' ? [op] : []
    })
    if (claims.length === 0) return
    const results = await this.claim.claim(claims, () => this.promoteDue(), handedOn)
    indexes.forEach((index, place) => {
      outcomes[index] = { ok: true, value: results[place] }
    })
  }

  private one(op: OwnOp): unknown {
    switch (op.kind) {
      case 'complete':
      case 'fail':
      case 'release':
        return settle(this.context, op)
      case 'heartbeat':
        return heartbeat(this.context, op)
      case 'progress':
        return progress(this.context, op)
      case 'log':
        return log(this.context, op)
      case 'promote':
        return promote(this.context, op)
      case 'admitBlocked':
        return admitBlocked(this.context, op)
      case 'rescue':
        return rescue(this.context, op)
      case 'renewLeases':
        return renewLeases(this.context)
      case 'jobAction':
        return this.runJobAction(op)
      case 'cleanup':
        return this.removal.cleanup(op)
      case 'recordDepths':
        return this.depths.record(op)
      case 'trim':
        return this.removal.trim(op)
      case 'declareTypes':
        return this.control.declareTypes(op)
      case 'overrideType':
        return this.control.overrideType(op)
      case 'updateGroup':
        return updateGroup(this.context, this.control, op)
      case 'putSettings':
        return this.control.putSettings(op)
      case 'seeWorker':
        return this.control.seeWorker(op)
      case 'drainWorker':
        return this.control.drainWorker(op)
      case 'audit':
        return this.control.audit(op)
      case 'lead':
        return this.control.lead(op)
      case 'resign':
        return this.control.resign(op)
      case 'bulkStart':
        return this.bulk.start(op)
      case 'bulkApply':
        return this.bulk.apply(op)
      case 'bulkCancel':
        return this.bulk.cancel(op)
      case 'bulkUndo':
        return this.bulk.undo(op)
      case 'bulkRevert':
        return this.bulk.revert(op)
      case 'backfillStart':
        return this.bulk.startBackfill(op)
      case 'backfillApply':
        return this.bulk.applyBackfill(op)
      case 'createToken':
        return this.tokens.create(op)
      case 'revokeToken':
        return this.tokens.revoke(op)
      case 'useTokens':
        return this.tokens.use(op)
      case 'openSession':
        return this.tokens.openSession(op)
      case 'seeSession':
        return this.tokens.seeSession(op)
      case 'closeSession':
        return this.tokens.closeSession(op)
    }
  }

  private async runJobAction({ action, id, actor }: OpOf<'jobAction'>): Promise<unknown> {
    const result = await this.jobActions.apply(action, id)
    if (actor !== null && result.changed) this.control.audit({ actor, action, target: id, details: {} })
    return result
  }

  private async promoteDue(): Promise<void> {
    this.groups.flush()
    await promote(this.context, { kind: 'promote', limit: PROMOTE_BEFORE_CLAIM })
  }
}
