/** Hands out jobs: chooses the best of the types that may run now for every claim, then takes all of them at once. */
import type { ClaimedRow, ClaimOutcome, OpOf } from '../ops.ts'
import type { Room } from '../room.ts'
import type { KnownType } from '../rules.ts'
import { Candidates } from './candidates.ts'
import type { Catalog } from './catalog.ts'
import type { Choice, ClaimRows } from './claim-rows.ts'
import type { HeldClaims } from './held-claims.ts'
import type { Ledger } from './ledger.ts'
import type { Client } from './open.ts'
import type { Settle } from './settle.ts'

/** A choice and the answer its job belongs to, which is filled when the jobs are taken. */
interface Plan extends Choice {
  readonly jobs: ClaimedRow[]
}

export class Claim {
  private readonly settle: Settle
  private readonly claims: HeldClaims
  private readonly ledger: Ledger
  private readonly catalog: Catalog
  private readonly room: Room
  private readonly candidates: Candidates
  private readonly rows: ClaimRows
  private plans: Plan[] = []

  constructor(
    client: Client,
    rows: ClaimRows,
    settle: Settle,
    claims: HeldClaims,
    ledger: Ledger,
    catalog: Catalog,
    room: Room,
  ) {
    this.settle = settle
    this.claims = claims
    this.ledger = ledger
    this.catalog = catalog
    this.room = room
    this.candidates = new Candidates(client)
    this.rows = rows
  }

  /** `wanted`: how many jobs all claims of this commit may take together. */
  begin(wanted: number, now: number): void {
    this.plans = []
    this.room.begin()
    this.candidates.begin(wanted, () => this.take(now))
  }

  /** More has expired than was cleared away before this claim. */
  skipExpired(now: number): void {
    this.candidates.skipExpired(now)
  }

  /** The jobs are in the answer once `take` has run. */
  choose(op: OpOf<'claim'>, now: number, promoteAt: number | null): ClaimOutcome {
    if (op.requestId !== null && this.isUsed(op.requestId, now)) return this.replay(op.requestId, op)
    if (this.catalog.isDraining(op.worker)) return { jobs: [], nextEligibleAt: null, draining: true }
    if (this.catalog.isPaused()) return { jobs: [], nextEligibleAt: null }
    const scope = this.scope(op)
    const eligible = new Map<KnownType, number>()
    for (const type of scope) {
      const room = this.room.of(type, now)
      if (room > 0) eligible.set(type, room)
    }
    const jobs: ClaimedRow[] = []
    const most = Math.min(op.limit, this.room.ofQueue(now))
    let chosen = 0
    while (chosen < most && eligible.size > 0) {
      const type = this.candidates.best(eligible.keys())
      if (!type) break
      const [seq, priority, runAt] = this.candidates.pop(type.name)
      this.plans.push({ seq, type: type.name, priority, runAt, op, effective: type.effective, jobs })
      this.room.take(type, now)
      chosen += 1
      const room = (eligible.get(type) ?? 0) - 1
      if (room > 0) eligible.set(type, room)
      else eligible.delete(type)
    }
    return { jobs, nextEligibleAt: chosen > 0 ? null : this.nextEligibleAt(scope, now, promoteAt) }
  }

  /** Takes what was chosen and hands it to those it was chosen for. */
  take(now: number): void {
    const plans = this.plans
    if (plans.length === 0) return
    this.plans = []
    this.room.taken()
    const rows = this.rows.take(plans, now)
    plans.forEach(({ op, jobs }, index) => {
      const row = rows[index]
      if (!row) return
      const { seq, id, type, version, runAt } = row
      this.ledger.record({ id, type, from: 'pending', to: 'processing' }, { waitMs: now - runAt })
      this.claims.remember(id, { seq, type, version, startedAt: now })
      jobs.push(op.settle ? this.complete(row, now) : row)
    })
  }

  private complete(row: ClaimedRow, now: number): ClaimedRow {
    this.settle.complete({ kind: 'complete', id: row.id, version: row.version, result: null }, now)
    return { ...row, leaseUntil: now }
  }

  /** The types a claim asks for; without a word, all that hold plain jobs. */
  private scope(op: OpOf<'claim'>): readonly KnownType[] {
    const { types, kindOfType } = op
    if (types === null) return [...this.catalog.types()].filter(({ kind }) => kind === (kindOfType ?? 'job'))
    const found = new Set<KnownType>()
    for (const name of types) {
      const type = this.catalog.type(name)
      if (type && (kindOfType === undefined || type.kind === kindOfType)) found.add(type)
    }
    return [...found]
  }

  private isUsed(requestId: string, now: number): boolean {
    if (this.plans.some((plan) => plan.op.requestId === requestId)) this.take(now)
    return this.rows.isUsed(requestId)
  }

  /** Asking again gives what the first answer held and is still held; what went back into the line is free for all. */
  private replay(requestId: string, op: OpOf<'claim'>): ClaimOutcome {
    const jobs = this.rows.heldBy(requestId, op, (type) => this.catalog.effective(type))
    return { jobs, nextEligibleAt: null }
  }

  private nextEligibleAt(scope: readonly KnownType[], now: number, promoteAt: number | null): number | null {
    let next = promoteAt
    for (const type of scope) {
      const at = this.room.nextAt(type, now)
      if (at !== null && (next === null || at < next)) next = at
    }
    return next
  }
}
