/** Hands out jobs: chooses the best of the types that may run now for every claim, then takes all of them at once. */

import type { Kind } from '../../../../shared/status.ts'
import { Room } from '../../capacity.ts'
import type { Candidate } from '../../claim-order.ts'
import type { ClockTrust } from '../../clock-trust.ts'
import { Isolation, type Suspect } from '../../isolation.ts'
import type { ClaimedRow, ClaimOutcome, OpOf } from '../../ops.ts'
import type { Reservations } from '../../reservations.ts'
import { type KnownType, WHOLE_QUEUE } from '../../rules.ts'
import { promoteAtOf } from '../commit/due.ts'
import type { Ledger } from '../commit/ledger.ts'
import type { Session } from '../connection/session.ts'
import { type AskedTypes, Lines } from './candidates.ts'
import type { Catalog } from './catalog.ts'
import { type Choice, completeTaken, heldBy, takeJobs, usedRequests } from './claim-rows.ts'
import { isolateAlone, leaseHolders, noteUnconfirmed, pendingSuspects, suspectsExist } from './suspects.ts'

type ClaimOp = OpOf<'claim'>

/** A choice and the answer its job belongs to, which is filled when the jobs are taken. */
interface Plan extends Choice {
  readonly jobs: ClaimedRow[]
  readonly suspect: Suspect | null
}

export class Claim {
  private readonly session: Session
  private readonly ledger: Ledger
  private readonly catalog: Catalog
  private plans: Plan[] = []
  private readonly processing = new Map<string, number>()
  private lines: Lines | null = null
  /** Types whose limits this commit holds; the whole queue has a name as well. */
  private readonly locked = new Set<string>()
  private readonly room: Room
  private readonly reservations: Reservations
  private readonly trust: ClockTrust
  /** null: no job has crashes. */
  private isolation: Isolation | null = null

  constructor(session: Session, ledger: Ledger, catalog: Catalog, reservations: Reservations, trust: ClockTrust) {
    this.reservations = reservations
    this.trust = trust
    this.session = session
    this.ledger = ledger
    this.catalog = catalog
    this.room = new Room(
      {
        pending: (type) => (this.lines?.total(type) ?? 0) + (this.isolation?.total(type) ?? 0),
        processing: (type) => this.processing.get(type) ?? 0,
      },
      catalog,
    )
  }

  /** In the order of arrival. A claim sees everything that is due at its own instant, timers or not. */
  async claim(ops: readonly ClaimOp[], promote: () => Promise<void>): Promise<readonly ClaimOutcome[]> {
    const asking = ops.filter((op) => !this.catalog.isDraining(op.worker))
    const look = () => Promise.all([promoteAtOf(this.session.client, this.trust), this.prepare(asking)])
    let [used, [promoteAt]] = await Promise.all([
      usedRequests(
        this.session,
        ops.flatMap(({ requestId }) => requestId ?? []),
      ),
      look(),
    ])
    if (promoteAt !== null && promoteAt <= this.session.now) {
      await promote()
      ;[promoteAt] = await look()
    }
    const outcomes: ClaimOutcome[] = []
    for (const op of ops) {
      const isRepeat = op.requestId !== null && (used.has(op.requestId) || this.isPlanned(op.requestId))
      outcomes.push(isRepeat ? await this.replay(op) : this.choose(op, promoteAt))
    }
    await this.take()
    this.catalog.flush(this.session)
    return outcomes
  }

  /** Locks the limits first, the jobs second; whoever waits for a limit holds no job that another claim could want. */
  private async prepare(ops: readonly ClaimOp[]): Promise<void> {
    if (ops.length === 0 || this.catalog.isPaused()) return
    // What others changed before the lock was free may name more to lock.
    while (await this.lockLimits(this.scopeOfAll(ops))) await this.catalog.refresh(this.session)
    const open = this.scopeOfAll(ops).filter(({ effective }) => !effective.paused)
    const counted = open.filter(({ effective }) => effective.maxConcurrency !== null).map(({ name }) => name)
    await this.countProcessing(counted)
    const wanted = ops.reduce((sum, { limit }) => sum + limit, 0)
    const names = open.map(({ name }) => name)
    const asked = askedTypes(ops, open)
    const limitOf = (type: string) => this.limitOf(type)
    const [lines, isIsolating] = await Promise.all([
      Lines.read(this.session, asked, wanted, limitOf),
      suspectsExist(this.session),
    ])
    this.lines = lines
    this.isolation = null
    if (!isIsolating) return
    await Promise.all([isolateAlone(this.session), this.session.lookAtClock()])
    const [others, suspects, holders] = await Promise.all([
      Lines.read(this.session, asked, wanted, limitOf, { withCrashed: false }),
      pendingSuspects(this.session, names),
      leaseHolders(this.session),
    ])
    this.lines = others
    this.isolation = new Isolation(this.reservations, suspects, holders, this.session.now)
  }

  /** How many jobs of a type may be claimed, however many there are. */
  private limitOf(name: string): number {
    const { maxConcurrency, rate, burst } = this.catalog.effective(name)
    const slots = maxConcurrency === null ? Number.POSITIVE_INFINITY : maxConcurrency - (this.processing.get(name) ?? 0)
    const tokens = rate === null ? slots : this.catalog.tokens(name, rate, burst ?? 1, this.session.now)
    return Math.max(0, Math.min(slots, tokens))
  }

  /** Only limited types serialise their claims: under these locks counts and buckets stand still. false: nothing to lock. */
  private async lockLimits(scope: readonly KnownType[]): Promise<boolean> {
    const wanted = scope
      .filter(({ effective }) => effective.maxConcurrency !== null || effective.rate !== null)
      .map(({ name }) => name)
    if (this.catalog.globalRate() !== null) wanted.push(WHOLE_QUEUE)
    const missing = wanted.filter((name) => !this.locked.has(name))
    if (missing.length === 0) return false
    if (missing.includes(WHOLE_QUEUE)) {
      await this.session.rows('lock-queue', `SELECT key FROM millrace_settings WHERE key = 'rate' FOR UPDATE`, [])
    }
    const text = 'SELECT name FROM millrace_job_types WHERE name = ANY($1::text[]) ORDER BY name FOR UPDATE'
    await this.session.rows('lock-types', text, [missing])
    for (const name of missing) this.locked.add(name)
    await Promise.all([this.session.lookAtClock(), this.catalog.readBuckets(this.session)])
    return true
  }

  /** A statement of its own, after the lock: one statement would count in a snapshot from before it. */
  private async countProcessing(types: readonly string[]): Promise<void> {
    if (types.length === 0) return
    const rows = await this.session.rows<{ type: string; n: number }>(
      'processing',
      `SELECT type, count(*) AS n FROM millrace_jobs WHERE status = 'processing' AND type = ANY($1::text[]) GROUP BY type`,
      [types],
    )
    for (const { type, n } of rows) this.processing.set(type, n)
  }

  private choose(op: ClaimOp, promoteAt: number | null): ClaimOutcome {
    const { now } = this.session
    if (this.catalog.isDraining(op.worker)) return { jobs: [], nextEligibleAt: null, draining: true }
    if (this.catalog.isPaused()) return { jobs: [], nextEligibleAt: null }
    const scope = this.scope(op)
    const eligible = new Map<KnownType, number>()
    for (const type of scope) {
      const room = this.room.of(type, now)
      if (room > 0) eligible.set(type, room)
    }
    const jobs: ClaimedRow[] = []
    let most = Math.min(op.limit, this.room.ofQueue(now))
    const isolation = most > 0 && eligible.size > 0 ? this.isolation : null
    if (isolation) {
      const typeOf = (name: string) => this.catalog.type(name)
      const permission = isolation.permit(op, typeOf, eligible, this.lines?.first(eligible.keys()))
      if (permission === 'nothing') most = 0
      else if (permission !== 'others') {
        const { suspect } = permission
        const type = this.catalog.type(suspect.type)
        if (type) this.plan(op, type, suspect.head, jobs, suspect)
        return { jobs, nextEligibleAt: null }
      }
    }
    let chosen = 0
    while (chosen < most && eligible.size > 0) {
      const type = this.lines?.best(eligible.keys())
      if (!type || !this.lines) break
      this.plan(op, type, this.lines.pop(type.name), jobs, null)
      chosen += 1
      const room = (eligible.get(type) ?? 0) - 1
      if (room > 0) eligible.set(type, room)
      else eligible.delete(type)
    }
    if (chosen > 0) return { jobs, nextEligibleAt: null }
    if (!isolation) return { jobs, nextEligibleAt: this.nextEligibleAt(scope, promoteAt) }
    // What may run and was not chosen is left for others: no instant makes it claimable here.
    const limited = scope.filter((type) => !eligible.has(type))
    return { jobs, nextEligibleAt: this.nextEligibleAt(limited, promoteAt), passedOver: true }
  }

  private plan(op: ClaimOp, type: KnownType, [seq]: Candidate, jobs: ClaimedRow[], suspect: Suspect | null): void {
    this.plans.push({ seq, op, effective: type.effective, jobs, suspect })
    this.room.take(type, this.session.now)
    this.isolation?.chosen(op, suspect)
  }

  /** Takes what was chosen and hands it to those it was chosen for. */
  private async take(): Promise<void> {
    const plans = this.plans
    if (plans.length === 0) return
    this.plans = []
    this.lines?.taken()
    this.isolation?.taken()
    this.room.taken()
    const { now } = this.session
    const rows = await takeJobs(this.session, plans)
    const settled: ClaimedRow[] = []
    plans.forEach(({ op, jobs, suspect }, index) => {
      const row = rows[index]
      if (!row) return
      if (suspect && !op.settle) noteUnconfirmed(this.session, row.seq)
      const { id, type, runAt } = row
      this.ledger.record({ id, type, from: 'pending', to: 'processing' }, { waitMs: now - runAt })
      if (!op.settle) {
        this.processing.set(type, (this.processing.get(type) ?? 0) + 1)
        this.ledger.leased(row.leaseUntil)
        jobs.push(row)
        return
      }
      settled.push(row)
      this.ledger.record({ id, type, from: 'processing', to: 'completed' }, { runMs: 0 })
      jobs.push({ ...row, leaseUntil: now })
    })
    if (settled.length > 0) await completeTaken(this.session, settled)
  }

  private isPlanned(requestId: string): boolean {
    return this.plans.some(({ op }) => op.requestId === requestId)
  }

  /** Asking again gives what the first answer held and is still held; what went back into the line is free for all. */
  private async replay(op: ClaimOp): Promise<ClaimOutcome> {
    await this.take()
    return { jobs: await heldBy(this.session, op, (type) => this.catalog.effective(type)), nextEligibleAt: null }
  }

  private scopeOfAll(ops: readonly ClaimOp[]): readonly KnownType[] {
    return [...new Set(ops.flatMap((op) => this.scope(op)))]
  }

  /** The types a claim asks for; without a word, all that hold plain jobs. */
  private scope(op: ClaimOp): readonly KnownType[] {
    const { types, kindOfType } = op
    if (types === null) return [...this.catalog.types()].filter(({ kind }) => kind === (kindOfType ?? 'job'))
    const named = [...new Set(types)].flatMap((name) => this.catalog.type(name) ?? [])
    return kindOfType === undefined ? named : named.filter(({ kind }) => kind === kindOfType)
  }

  private nextEligibleAt(scope: readonly KnownType[], promoteAt: number | null): number | null {
    let next = promoteAt
    for (const type of scope) {
      const at = this.room.nextAt(type, this.session.now)
      if (at !== null && (next === null || at < next)) next = at
    }
    return next
  }
}

function askedTypes(ops: readonly ClaimOp[], open: readonly KnownType[]): AskedTypes {
  const names = new Set(ops.flatMap(({ types }) => types ?? []))
  const named: string[] = []
  const unnamed = new Map<Kind, string[]>()
  for (const { name, kind } of open) {
    if (names.has(name)) named.push(name)
    else {
      const ofKind = unnamed.get(kind) ?? []
      unnamed.set(kind, ofKind)
      ofKind.push(name)
    }
  }
  return { named, unnamed: [...unnamed.values()] }
}
