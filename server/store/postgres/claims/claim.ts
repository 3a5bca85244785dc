/**
 * Claims: chooses jobs for every claim of a commit, then takes all of them with one statement. The SQL is in candidates.ts, the
 * choice in store/decisions/choose-jobs.ts. Claims of types without limits: plain-claim.ts.
 */
import type { Status } from '../../../../shared/status.ts'
import type { ClockTrust } from '../../clock-trust.ts'
import { Capacity } from '../../decisions/capacity.ts'
import {
  type Choice,
  type ClaimOp,
  type ClaimState,
  chooseJobs,
  eligibleTypes,
  refusedClaim,
} from '../../decisions/choose-jobs.ts'
import type { JobGroup } from '../../decisions/group-of-job.ts'
import { Isolation } from '../../decisions/isolation.ts'
import type { Reservations } from '../../decisions/reservations.ts'
import { type KnownType, WHOLE_QUEUE } from '../../decisions/rules.ts'
import type { ClaimedRow, ClaimOutcome } from '../../ops.ts'
import type { Mark } from '../commit/commit-outcome.ts'
import type { CommitContext } from '../commit/context.ts'
import { earliest, promoteAtOf } from '../commit/due-times.ts'
import type { Groups } from '../commit/groups/groups.ts'
import { CONTENDED_RETRY_MS } from '../commit/groups/key-rows.ts'
import type { Ledger } from '../commit/ledger.ts'
import { HasGroups } from '../commit/plain/not-plain.ts'
import type { Session } from '../connection/session.ts'
import { type CandidateQuery, Candidates } from './candidates.ts'
import type { Catalog } from './catalog.ts'
import { completeTaken, heldBy, requestedTypes, takeJobs, usedRequests } from './claim-rows.ts'
import { readConditions } from './conditions.ts'
import { Limits } from './limits.ts'
import { splitTypes } from './split-types.ts'
import { countUnconfirmed, leaseHolders, lockIsolation, pendingSuspects } from './suspects.ts'

interface ClaimParts extends Omit<CommitContext, 'live' | 'groups' | 'pass'> {
  readonly groups: Groups | null
  /** A claimed job of a schedule was completed at once, which no plain commit does. */
  readonly onCompleted: (tick: string) => void
}

export class Claim implements ClaimState {
  readonly rules: Catalog
  readonly capacity: Capacity
  candidates = new Candidates()
  choices: Choice[] = []
  /** Of the transaction, once the candidates are locked. */
  mark: Mark | null = null
  private readonly session: Session
  private readonly ledger: Ledger
  private readonly limits: Limits
  private readonly reservations: Reservations
  private readonly trust: ClockTrust
  private readonly groups: Groups | null
  private readonly onCompleted: ClaimParts['onCompleted']
  /** Claims that left a job because another transaction holds its key. */
  private readonly contended = new Set<ClaimOp>()
  /** null: no job has crashes. */
  private isolation: Isolation | null = null

  /** `groups` null: of a plain commit. */
  constructor({ session, ledger, catalog, reservations, trust, groups, onCompleted }: ClaimParts) {
    this.groups = groups
    this.onCompleted = onCompleted
    this.rules = catalog
    this.session = session
    this.ledger = ledger
    this.reservations = reservations
    this.trust = trust
    this.limits = new Limits(session, ledger, catalog)
    this.capacity = new Capacity(
      {
        pending: (type) => this.candidates.count(type) + (this.isolation?.count(type) ?? 0),
        processing: (type) => this.limits.processingOf(type),
      },
      catalog,
    )
  }

  /** `handedOn`: an earlier step of the commit, whose statements are sent already. In order of arrival. A claim gets every job that is due at its own instant, whether the scheduler has run or not. */
  async claim(
    ops: readonly ClaimOp[],
    promote: () => Promise<void>,
    handedOn: Promise<unknown>,
  ): Promise<readonly ClaimOutcome[]> {
    const active = ops.filter((op) => !this.rules.isDraining(op.worker))
    let [used, promoteAt] = await Promise.all([
      usedRequests(
        this.session,
        ops.flatMap(({ requestId }) => requestId ?? []),
      ),
      this.prepare(active),
      handedOn,
    ])
    // The keys of this commit are not written yet.
    promoteAt = earliest(promoteAt, this.groups?.firstWakeAt() ?? null)
    if (promoteAt !== null && promoteAt <= this.session.now) {
      await promote()
      promoteAt = await this.prepare(active)
    }
    const outcomes: ClaimOutcome[] = []
    for (const op of ops) {
      const isRepeat = op.requestId !== null && (used.has(op.requestId) || this.isChosen(op.requestId))
      outcomes.push(isRepeat ? await this.replay(op) : this.choose(op, promoteAt))
    }
    await this.take()
    this.rules.flush(this.session)
    return outcomes.map((outcome, place) => this.retriedSoon(outcome, ops[place]))
  }

  /** A job was left because another transaction holds its key, for a few milliseconds. */
  private retriedSoon(outcome: ClaimOutcome, op: ClaimOp | undefined): ClaimOutcome {
    if (!op || outcome.jobs.length > 0 || !this.contended.has(op)) return outcome
    return { ...outcome, nextEligibleAt: this.session.now + CONTENDED_RETRY_MS }
  }

  /**
   * For plain commits: sends at once what `claim` reads step by step, with the rules in memory. Behind it the caller checks that these
   * are current, that no job is due or has crashes, and that no request is repeated.
   */
  async readAhead(ops: readonly ClaimOp[]): Promise<void> {
    await Promise.all([this.limits.lock(this.unlockedLimits(ops)), this.readJobs(ops)])
  }

  /** After `readAhead`. */
  async claimAhead(ops: readonly ClaimOp[], promoteAt: number | null): Promise<readonly ClaimOutcome[]> {
    const outcomes = ops.map((op) => this.choose(op, promoteAt))
    await this.take()
    this.rules.flush(this.session)
    return outcomes
  }

  /** Returns when the next job becomes due. Locks limits before jobs: a transaction that waits for a limit holds no job that another claim could take. */
  private async prepare(ops: readonly ClaimOp[]): Promise<number | null> {
    if (ops.length === 0 || this.rules.isPaused()) return promoteAtOf(this.session.queryable, this.trust)
    // Other nodes may have changed the limits before the lock was free: then there may be more to lock.
    for (let names = this.unlockedLimits(ops); names.length > 0; names = this.unlockedLimits(ops)) {
      this.groups?.neverWait()
      await this.limits.lock(names)
      await Promise.all([this.session.readClock(), this.rules.refresh(this.session)])
    }
    const [query, { promoteAt, hasSuspects, mark }] = await Promise.all([
      this.readJobs(ops),
      readConditions(this.session, this.trust),
    ])
    this.mark = mark
    const names = [...query.types.listed, ...query.types.unlisted.flat()]
    this.isolation = null
    if (!hasSuspects) return promoteAt
    this.groups?.neverWait()
    await Promise.all([lockIsolation(this.session), this.session.readClock()])
    const suspectGroups = new Map<number, JobGroup>()
    const [others, suspects, holders] = await Promise.all([
      Candidates.read(this.session, { ...query, withCrashed: false }),
      pendingSuspects(this.session, names, suspectGroups),
      leaseHolders(this.session),
    ])
    this.candidates = others
    this.groups?.adopt(others.keys)
    for (const [seq, group] of suspectGroups) others.groups.set(seq, group)
    this.isolation = new Isolation(this.reservations, suspects, holders, this.session.now)
    return promoteAt
  }

  /** The running jobs of limited types, and the candidates. */
  private async readJobs(ops: readonly ClaimOp[]): Promise<CandidateQuery> {
    const open = this.requestedByAll(ops).filter(({ effective }) => !effective.paused)
    const counted = open.filter(({ effective }) => effective.maxConcurrency !== null).map(({ name }) => name)
    const limit = ops.reduce((sum, op) => sum + op.limit, 0)
    const query = {
      types: splitTypes(ops, open),
      limit,
      limitOf: (type: string) => this.limits.limitOf(type),
      withKeys: this.groups !== null,
    }
    const [, candidates] = await Promise.all([
      this.limits.countProcessing(counted),
      Candidates.read(this.session, query),
    ])
    this.candidates = candidates
    this.groups?.adopt(candidates.keys)
    return query
  }

  /** Names of types with limits, and WHOLE_QUEUE, that this commit has not locked. */
  private unlockedLimits(ops: readonly ClaimOp[]): readonly string[] {
    const limited = this.requestedByAll(ops)
      .filter(({ effective }) => effective.maxConcurrency !== null || effective.rate !== null)
      .map(({ name }) => name)
    if (this.rules.globalRate() !== null) limited.push(WHOLE_QUEUE)
    return limited.filter((name) => !this.limits.isLocked(name))
  }

  private choose(op: ClaimOp, promoteAt: number | null): ClaimOutcome {
    const { now } = this.session
    const refused = refusedClaim(op, this.rules)
    if (refused) return refused
    const eligible = eligibleTypes(this.requestedTypes(op), this.capacity, now)
    return chooseJobs(this, op, eligible, now, promoteAt)
  }

  isolate(): Isolation | null {
    return this.isolation
  }

  /** Takes the chosen jobs and adds each to the outcome of its claim. */
  private async take(): Promise<void> {
    if (this.choices.length === 0) return
    const choices = await this.lockKeys(this.choices)
    this.choices = []
    this.candidates.taken()
    this.isolation?.taken()
    this.capacity.taken()
    if (choices.length === 0) return
    const { now } = this.session
    const rows = await takeJobs(this.session, choices)
    const settled: ClaimedRow[] = []
    choices.forEach(({ op, jobs, suspect }, index) => {
      const row = rows[index]
      if (!row) return
      this.move(row, 'pending', 'processing')
      if (suspect && !op.settle) countUnconfirmed(this.session, row.seq)
      const { id, type, runAt } = row
      // A job of a group may have been put ahead of the clock.
      this.ledger.record({ id, type, from: 'pending', to: 'processing' }, { waitMs: Math.max(0, now - runAt) })
      if (!op.settle) {
        this.ledger.leased(row.leaseUntil)
        jobs.push(row)
        return
      }
      settled.push(row)
      this.move(row, 'processing', 'completed')
      if (row.tick !== null) this.onCompleted(row.tick)
      this.ledger.record({ id, type, from: 'processing', to: 'completed' }, { runMs: 0 })
      jobs.push({ ...row, leaseUntil: now })
    })
    if (settled.length > 0) await completeTaken(this.session, settled)
  }

  /** The choices that may be taken now. The type's tokens of the others are lost, which happens rarely. */
  private async lockKeys(choices: readonly Choice[]): Promise<readonly Choice[]> {
    const grouped = choices.filter(({ seq }) => this.candidates.groups.has(seq))
    const [first] = grouped
    if (!first) return choices
    const { groups } = this
    if (!groups) throw new HasGroups(first.type)
    const keys = grouped.flatMap(({ seq }) => this.candidates.groups.get(seq) ?? [])
    // The rate counts from the instant after the wait.
    if (!keys.every((key) => groups.isLocked(key))) await Promise.all([groups.tryLock(keys), this.session.readClock()])
    return choices.filter(({ seq, op, type }) => {
      const group = this.candidates.groups.get(seq)
      if (!group) return true
      groups.claimed(type)
      if (groups.isLocked(group)) return true
      this.contended.add(op)
      return false
    })
  }

  private move({ seq, runAt }: ClaimedRow, from: Status, to: Status): void {
    const group = this.candidates.groups.get(seq)
    if (group) this.groups?.move({ seq, groupName: group.name, groupKey: group.key, runAt }, from, to)
  }

  private isChosen(requestId: string): boolean {
    return this.choices.some(({ op }) => op.requestId === requestId)
  }

  /** A repeated request gets the jobs of the first response that its worker still holds. */
  private async replay(op: ClaimOp): Promise<ClaimOutcome> {
    await this.take()
    return { jobs: await heldBy(this.session, op, (type) => this.rules.effective(type)), nextEligibleAt: null }
  }

  private requestedByAll(ops: readonly ClaimOp[]): readonly KnownType[] {
    return [...new Set(ops.flatMap((op) => this.requestedTypes(op)))]
  }

  requestedTypes(op: ClaimOp): readonly KnownType[] {
    return requestedTypes(this.rules, op)
  }
}
