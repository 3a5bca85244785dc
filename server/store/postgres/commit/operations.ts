/** All operations of one commit over one transaction, in their phases; each refuses, if at all, before its first write. */
import { QueueError } from '../../../../shared/errors.ts'
import { WEBHOOK_TYPE } from '../../../../shared/reserved-types.ts'
import type { ClockTrust } from '../../clock-trust.ts'
import { type Failed, failureNotice } from '../../failure-notice.ts'
import type { Op, OpKind, OpOf, Outcome } from '../../ops.ts'
import { phaseOf } from '../../ops.ts'
import type { Reservations } from '../../reservations.ts'
import type { Catalog } from '../claims/catalog.ts'
import { Claim } from '../claims/claim.ts'
import type { Session } from '../connection/session.ts'
import { Removal } from '../upkeep/removal.ts'
import { Bulk } from './bulk.ts'
import { Control } from './control.ts'
import { Depths } from './depths.ts'
import { Due } from './due.ts'
import { Insert } from './insert.ts'
import { Act } from './job-actions.ts'
import type { Ledger } from './ledger.ts'
import { LiveJobs } from './live-jobs.ts'
import { Running } from './running.ts'
import { Settle } from './settle.ts'
import { Tokens } from './tokens.ts'

/** A claim first makes ready what is due; more than this at once is left to the scheduler. */
const PROMOTE_BEFORE_CLAIM = 1_000

/** They lock what they change, and claims of the same commit the rest of it: see Control.lockRules. */
const CHANGES_RULES: ReadonlySet<OpKind> = new Set<OpKind>(['declareTypes', 'overrideType', 'putSettings'])

type OwnOp = Exclude<Op, OpOf<'enqueue'> | OpOf<'claim'>>

export class Operations {
  private readonly session: Session
  private readonly catalog: Catalog
  private readonly live: LiveJobs
  private readonly settle: Settle
  private readonly running: Running
  private readonly due: Due
  private readonly insert: Insert
  private readonly claim: Claim
  private readonly removal: Removal
  private readonly act: Act
  private readonly control: Control
  private readonly bulk: Bulk
  private readonly tokens: Tokens
  private readonly depths: Depths
  private readonly failed: Failed[] = []

  constructor(session: Session, ledger: Ledger, catalog: Catalog, reservations: Reservations, trust: ClockTrust) {
    this.session = session
    this.catalog = catalog
    this.live = new LiveJobs(session, ledger, (failed) => this.failed.push(failed))
    this.settle = new Settle(session, this.live, catalog)
    this.running = new Running(session, this.live, ledger, catalog)
    this.due = new Due(session, this.live, ledger, catalog, trust)
    this.insert = new Insert(session, ledger)
    this.claim = new Claim(session, ledger, catalog, reservations, trust)
    this.removal = new Removal(session, this.live, catalog, trust)
    this.act = new Act(session, this.live)
    this.control = new Control(session, catalog, trust)
    this.bulk = new Bulk(session, this.live, this.act, this.control)
    this.depths = new Depths(session)
    this.tokens = new Tokens(session, this.control)
  }

  /** Everything that the commit will decide about, before its first decision. */
  async lock(ops: readonly Op[]): Promise<void> {
    await this.live.lock(ops.flatMap(idsOf))
    if (ops.some(({ kind }) => CHANGES_RULES.has(kind))) await this.control.lockRules()
  }

  async run(ops: readonly Op[]): Promise<readonly Outcome[]> {
    const outcomes = new Array<Outcome>(ops.length)
    const phases: number[][] = [[], [], [], []]
    for (const [index, op] of ops.entries()) phases[phaseOf(op.kind)]?.push(index)
    const [acts = [], inserts = [], dues = [], claims = []] = phases
    await this.oneByOne(ops, acts, outcomes)
    await this.enqueue(ops, inserts, outcomes)
    await this.oneByOne(ops, dues, outcomes)
    await this.tellOfFailures()
    await this.claimAll(ops, claims, outcomes)
    this.control.flush()
    this.control.writeTrail()
    return outcomes
  }

  private async oneByOne(ops: readonly Op[], indexes: readonly number[], outcomes: Outcome[]): Promise<void> {
    for (const index of indexes) {
      const op = ops[index]
      if (!op || op.kind === 'enqueue' || op.kind === 'claim') continue
      outcomes[index] = await attempt(() => this.one(op))
    }
    this.live.flush()
  }

  private async enqueue(ops: readonly Op[], indexes: readonly number[], outcomes: Outcome[]): Promise<void> {
    const accepted: { readonly index: number; readonly op: OpOf<'enqueue'> }[] = []
    for (const index of indexes) {
      const op = ops[index]
      if (op?.kind !== 'enqueue') continue
      const outcome = await attempt(() => this.admit(op))
      outcomes[index] = outcome
      if (outcome.ok) accepted.push({ index, op })
    }
    if (accepted.length === 0) return
    const answers = await this.insert.enqueue(accepted.map(({ op }) => op))
    for (const [place, { index }] of accepted.entries()) outcomes[index] = { ok: true, value: answers[place] }
  }

  /** Looks twice: another node may have added the type in the same moment, and of another kind. */
  private async admit(op: OpOf<'enqueue'>): Promise<void> {
    refuseMixedKinds(op)
    const types = op.jobs.map(({ type, kind }) => ({ name: type, kind }))
    for (const { name, kind } of types) this.catalog.refuseOtherKind(name, kind)
    await this.catalog.ensureTypes(this.session, types)
    for (const { name, kind } of types) this.catalog.refuseOtherKind(name, kind)
  }

  /** Never refuses: what it tells of is decided already. */
  private async tellOfFailures(): Promise<void> {
    const told = this.failed.splice(0).filter(({ job }) => this.catalog.tellsOfFailures(job.type))
    if (told.length === 0) return
    await this.catalog.ensureTypes(this.session, [{ name: WEBHOOK_TYPE, kind: 'system' }])
    const kind = this.catalog.type(WEBHOOK_TYPE)?.kind ?? 'system'
    await this.insert.enqueue([{ kind: 'enqueue', jobs: told.map((failed) => failureNotice(failed, kind)) }])
  }

  private async claimAll(ops: readonly Op[], indexes: readonly number[], outcomes: Outcome[]): Promise<void> {
    const claims = indexes.flatMap((index) => {
      const op = ops[index]
      return op?.kind === 'claim' ? [op] : []
    })
    if (claims.length === 0) return
    const answers = await this.claim.claim(claims, () => this.promoteDue())
    indexes.forEach((index, place) => {
      outcomes[index] = { ok: true, value: answers[place] }
    })
  }

  private one(op: OwnOp): unknown {
    switch (op.kind) {
      case 'complete':
      case 'fail':
      case 'release':
        return this.settle.settle(op)
      case 'heartbeat':
        return this.running.heartbeat(op)
      case 'progress':
        return this.running.progress(op)
      case 'log':
        return this.running.log(op)
      case 'promote':
        return this.due.promote(op)
      case 'rescue':
        return this.due.rescue(op)
      case 'renewLeases':
        return this.due.renewLeases()
      case 'act':
        return this.runAct(op)
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
      case 'putSettings':
        return this.control.putSettings(op)
      case 'seeWorker':
        return this.control.seeWorker(op)
      case 'drainWorker':
        return this.control.drainWorker(op)
      case 'audit':
        return this.control.audit(op.actor, op.action, op.target, op.details)
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

  private async runAct({ verb, id, actor }: OpOf<'act'>): Promise<unknown> {
    const result = await this.act.act(verb, id)
    if (actor !== null && result.changed) this.control.audit(actor, verb, id, {})
    return result
  }

  private async promoteDue(): Promise<void> {
    await this.due.promote({ kind: 'promote', limit: PROMOTE_BEFORE_CLAIM })
  }
}

/** The jobs an operation decides about: locked before the first decision, in one order for all commits. */
function idsOf(op: Op): readonly string[] {
  switch (op.kind) {
    case 'complete':
    case 'fail':
    case 'release':
    case 'progress':
    case 'log':
    case 'act':
      return [op.id]
    case 'heartbeat':
      return op.leases.map(({ id }) => id)
    case 'bulkApply':
      return op.jobs
    default:
      return []
  }
}

async function attempt(run: () => unknown): Promise<Outcome> {
  try {
    return { ok: true, value: await run() }
  } catch (error) {
    if (error instanceof QueueError) return { ok: false, error }
    throw error
  }
}

/** Jobs of one operation that disagree about their type would be stored in part. */
function refuseMixedKinds({ jobs }: OpOf<'enqueue'>): void {
  const kinds = new Map<string, string>()
  for (const { type, kind } of jobs) {
    const known = kinds.get(type) ?? kind
    kinds.set(type, known)
    if (known !== kind) {
      throw new QueueError('WRONG_STATE', `Type ${type} holds ${known}s, not ${kind}s; choose another name.`, { type })
    }
  }
}
