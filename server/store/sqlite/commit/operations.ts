/** All operations of the SQLite store on one connection, and the state that they share within a commit. */
import { WEBHOOK_TYPE } from '../../../../shared/reserved-types.ts'
import type { Defaults } from '../../../../shared/settings/settings.ts'
import type { ClockTrust } from '../../clock-trust.ts'
import { Capacity, readyTypes } from '../../decisions/capacity.ts'
import { type FailedJob, failureNotice } from '../../failure-notice.ts'
import type { Op, OpOf } from '../../ops.ts'
import { phaseOf } from '../../phases.ts'
import type { Commit, DueTimes, Ready } from '../../store.ts'
import { Catalog } from '../claims/catalog.ts'
import { Claim } from '../claims/claim.ts'
import { HeldClaims } from '../claims/held-claims.ts'
import { RecentPayloads } from '../claims/recent-payloads.ts'
import type { Client } from '../connection/open.ts'
import { Removal } from '../upkeep/removal.ts'
import { Bulk } from './bulk.ts'
import { Control } from './control.ts'
import { Depths } from './depths.ts'
import { Due } from './due.ts'
import { FullKeys } from './groups/full-keys.ts'
import { Groups } from './groups/groups.ts'
import { Sweep } from './groups/sweep.ts'
import { UpdateGroup } from './groups/update-group.ts'
import { Insert } from './insert.ts'
import { JobActions } from './job-actions.ts'
import { Ledger } from './ledger.ts'
import { LiveJobs } from './live-jobs.ts'
import { Running } from './running.ts'
import { Schedules } from './schedules.ts'
import { Settle } from './settle.ts'
import { Tokens } from './tokens.ts'

/** A claim first promotes the due jobs, up to this many; the scheduler promotes the rest. */
const PROMOTE_BEFORE_CLAIM = 1_000

/** The state before an operation, to which a refused one returns. */
export interface Mark {
  readonly ledger: number
  readonly groups: number
}

export class Operations {
  private readonly ledger: Ledger
  private readonly catalog: Catalog
  private readonly groups: Groups
  private readonly sweep: Sweep
  private readonly updateGroup: UpdateGroup
  private readonly insert: Insert
  private readonly settle: Settle
  private readonly running: Running
  private readonly due: Due
  private readonly capacity: Capacity
  private readonly claim: Claim
  private readonly jobActions: JobActions
  private readonly removal: Removal
  private readonly control: Control
  private readonly bulk: Bulk
  private readonly schedules: Schedules
  private readonly tokens: Tokens
  private readonly depths: Depths
  private readonly trust: ClockTrust
  private readonly dataVersion
  /** `PRAGMA data_version` at the last reload. It changes when another connection commits. */
  private seenVersion = -1
  private promoteAt: number | null | undefined
  private phase = 0

  constructor(client: Client, defaults: Defaults, trust: ClockTrust) {
    this.trust = trust
    this.ledger = new Ledger(client)
    this.catalog = new Catalog(client, defaults)
    this.capacity = new Capacity(this.ledger, this.catalog)
    this.groups = new Groups(client, this.ledger, this.catalog)
    const { ledger, catalog, capacity, groups } = this
    const live = new LiveJobs(client, ledger, groups, (failed, now) => this.onFailed(failed, now))
    const heldClaims = new HeldClaims()
    const payloads = new RecentPayloads()
    const fullKeys = new FullKeys(client, live, groups)
    this.insert = new Insert(client, { payloads, ledger, catalog, keys: { groups, fullKeys } })
    this.settle = new Settle({
      ...{ client, live, heldClaims, ledger, groups, catalog },
      onCompleted: (tick, now) => this.schedules.jobEnded(tick, true, now),
    })
    this.running = new Running(client, live, ledger, catalog)
    this.due = new Due({ client, live, ledger, groups, fullKeys, catalog, trust })
    this.claim = new Claim({ client, payloads, heldClaims, settle: this.settle, ledger, groups, catalog, capacity })
    this.removal = new Removal(client, { ledger, groups, catalog, trust })
    this.jobActions = new JobActions(client, live, this.removal)
    this.control = new Control(client, this.catalog, trust)
    this.schedules = new Schedules({ client, insert: this.insert, control: this.control, trust })
    this.sweep = new Sweep(client, groups)
    this.updateGroup = new UpdateGroup(client, { catalog, control: this.control, groups, sweep: this.sweep })
    this.bulk = new Bulk(client, live, this.jobActions, this.control, this.schedules)
    this.depths = new Depths(client)
    this.tokens = new Tokens(client, this.control)
    this.dataVersion = client.prepare<[], number>('PRAGMA data_version').pluck()
  }

  begin(ops: readonly Op[], now: number): void {
    this.trust.observe(now)
    this.refresh()
    this.ledger.begin()
    this.catalog.begin()
    this.groups.begin(now)
    this.promoteAt = undefined
    this.phase = 0
    let limit = 0
    for (const op of ops) if (op.kind === 'claim') limit += op.limit
    this.claim.begin(limit, now)
  }

  /** Reloads the shared state if another connection has committed. */
  private refresh(): void {
    const version = this.dataVersion.get() ?? -1
    if (version === this.seenVersion) return
    this.ledger.reload()
    this.catalog.reload()
    this.groups.forget()
    this.seenVersion = version
  }

  forget(): void {
    this.seenVersion = -1
    this.settle.forget()
    this.insert.forget()
    this.sweep.restart()
  }

  mark(now: number): Mark {
    this.writeGathered(now)
    this.catalog.beginOperation()
    return { ledger: this.ledger.mark(), groups: this.groups.mark() }
  }

  rollback(mark: Mark): void {
    this.insert.forget()
    this.ledger.rollback(mark.ledger)
    this.groups.rollback(mark.groups)
    this.catalog.rollback()
  }

  end(now: number): Pick<Commit, 'changes' | 'measures' | 'ready' | 'due'> {
    this.writeGathered(now)
    this.groups.flush(now)
    this.ledger.flush(now)
    this.catalog.flush()
    const [changes, measures] = [this.ledger.changes(), this.ledger.allMeasures()]
    return { changes, measures, ready: this.readyAfterCommit(now), due: this.due.times() }
  }

  /** What claims, completes and enqueues have decided and not written. */
  private writeGathered(now: number): void {
    this.claim.take(now)
    this.settle.flush()
    this.insert.flush(now)
  }

  times(): DueTimes {
    this.refresh()
    return this.due.times()
  }

  /** The ready types among those that changed, or among all when the rules changed. */
  private readyAfterCommit(now: number): ReadonlyMap<string, Ready> {
    if (this.catalog.haveRulesChanged()) return this.readyOf(this.ledger.types(), now)
    const touched = new Set<string>()
    for (const change of this.ledger.changes()) touched.add(change.type)
    return this.readyOf(touched, now)
  }

  ready(now: number): ReadonlyMap<string, Ready> {
    this.refresh()
    return this.readyOf(this.ledger.types(), now)
  }

  private readyOf(types: Iterable<string>, now: number): ReadonlyMap<string, Ready> {
    return readyTypes(types, this.catalog, this.capacity, now)
  }

  /** Before each operation. A place that was freed goes to a blocked job before a new job meets its key. */
  enter(op: Op, now: number): void {
    if (this.phase !== phaseOf(op.kind)) this.groups.handOn(now)
    this.phase = phaseOf(op.kind)
  }

  /** Runs an operation within a savepoint: all of its writes happen now. */
  runCompletely(op: Op, now: number): unknown {
    const value = this.run(op, now)
    this.writeGathered(now)
    return value
  }

  run(op: Op, now: number): unknown {
    if (op.kind !== 'complete') this.settle.flush()
    if (op.kind !== 'enqueue') this.insert.flush(now)
    switch (op.kind) {
      case 'complete':
        return this.settle.complete(op, now)
      case 'fail':
      case 'release':
        return this.settle.settle(op, now)
      case 'heartbeat':
        return this.running.heartbeat(op, now)
      case 'progress':
        return this.running.progress(op, now)
      case 'log':
        return this.running.log(op, now)
      case 'enqueue':
        return this.insert.enqueue(op, now)
      case 'claim':
        return this.claim.choose(op, now, this.promoteBeforeClaim(now))
      case 'promote':
        return this.due.promote(op, now)
      case 'admitBlocked':
        return this.sweep.step(op, now)
      case 'rescue':
        return this.due.rescue(op, now)
      case 'renewLeases':
        return this.due.renewLeases(now)
      case 'jobAction':
        return this.runJobAction(op, now)
      case 'cleanup':
        return this.removal.cleanup(op, now)
      case 'recordDepths':
        return this.depths.record(op)
      case 'trim':
        return this.removal.trim(op, now)
      case 'declareTypes':
        this.sweep.restart()
        return this.control.declareTypes(op, now)
      case 'overrideType':
        this.sweep.restart()
        return this.control.overrideType(op, now)
      case 'updateGroup':
        return this.updateGroup.update(op, now)
      case 'putSettings':
        return this.control.putSettings(op, now)
      case 'seeWorker':
        return this.control.seeWorker(op, now)
      case 'drainWorker':
        return this.control.drainWorker(op, now)
      case 'audit':
        return this.control.audit(op, now)
      case 'lead':
        return this.control.lead(op, now)
      case 'resign':
        return this.control.resign(op)
      case 'bulkStart':
        return this.bulk.start(op, now)
      case 'bulkApply':
        return this.bulk.apply(op, now)
      case 'bulkCancel':
        return this.bulk.cancel(op, now)
      case 'bulkUndo':
        return this.bulk.undo(op, now)
      case 'bulkRevert':
        return this.bulk.revert(op, now)
      case 'schedule':
        return this.schedules.change(op, now)
      case 'backfillStart':
        return this.bulk.startBackfill(op, now)
      case 'backfillApply':
        return this.bulk.applyBackfill(op, now)
      case 'createToken':
        return this.tokens.create(op, now)
      case 'revokeToken':
        return this.tokens.revoke(op, now)
      case 'useTokens':
        return this.tokens.use(op, now)
      case 'openSession':
        return this.tokens.openSession(op, now)
      case 'seeSession':
        return this.tokens.seeSession(op, now)
      case 'closeSession':
        return this.tokens.closeSession(op, now)
    }
  }

  private runJobAction({ action, id, actor }: OpOf<'jobAction'>, now: number): unknown {
    const result = this.jobActions.apply(action, id, now)
    if (actor !== null && result.changed) this.control.audit({ actor, action, target: id, details: {} }, now)
    return result
  }

  private onFailed(failed: FailedJob, now: number): void {
    const { type, tick } = failed.job
    if (tick !== null) this.schedules.jobEnded(tick, false, now)
    if (!this.catalog.hasFailureWebhook(type)) return
    const kind = this.catalog.type(WEBHOOK_TYPE)?.kind ?? 'system'
    // Never refused: the failure is written already.
    this.insert.enqueue({ kind: 'enqueue', jobs: [failureNotice(failed, kind)] }, now)
  }

  /** Once per commit: a claim gets every job that is due at its own instant, whether the scheduler has run or not. */
  private promoteBeforeClaim(now: number): number | null {
    if (this.promoteAt !== undefined) return this.promoteAt
    this.groups.handOn(now)
    this.promoteAt = this.due.promoteAt()
    // While the clock is not trusted, expired jobs are neither cancelled nor claimed.
    if (!this.trust.isSure) this.claim.skipExpired(now)
    if (this.promoteAt !== null && this.promoteAt <= now) {
      this.due.promote({ kind: 'promote', limit: PROMOTE_BEFORE_CLAIM }, now)
      this.groups.handOn(now)
      this.promoteAt = this.due.promoteAt()
      if (this.promoteAt !== null && this.promoteAt <= now) this.claim.skipExpired(now)
    }
    return this.promoteAt
  }
}
