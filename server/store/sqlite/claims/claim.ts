/** Hands out jobs: chooses the best of the types that may run now for every claim, then takes all of them at once. */
import type { Kind } from '../../../../shared/status.ts'
import type { Room } from '../../capacity.ts'
import type { Candidate } from '../../claim-order.ts'
import { Isolation, type Suspect } from '../../isolation.ts'
import type { ClaimedRow, ClaimOutcome, OpOf } from '../../ops.ts'
import { Reservations } from '../../reservations.ts'
import type { KnownType } from '../../rules.ts'
import type { Ledger } from '../commit/ledger.ts'
import type { Settle } from '../commit/settle.ts'
import type { Client } from '../connection/open.ts'
import { Candidates } from './candidates.ts'
import type { Catalog } from './catalog.ts'
import type { Choice, ClaimRows } from './claim-rows.ts'
import type { HeldClaims } from './held-claims.ts'
import { Suspects } from './suspects.ts'

/** A choice and the answer its job belongs to, which is filled when the jobs are taken. */
interface Plan extends Choice {
  readonly jobs: ClaimedRow[]
  readonly suspect: Suspect | null
}

/** Types and how many jobs of each may be claimed, as of a revision of the room. */
interface Eligible {
  readonly kind: Kind
  readonly rooms: Map<KnownType, number>
  revision: number
}

export class Claim {
  private readonly settle: Settle
  private readonly claims: HeldClaims
  private readonly ledger: Ledger
  private readonly catalog: Catalog
  private readonly room: Room
  private readonly candidates: Candidates
  private readonly rows: ClaimRows
  private readonly suspects: Suspects
  private readonly reservations = new Reservations()
  /** Of this commit: null when no job has crashes, undefined before the first claim. */
  private isolation: Isolation | null | undefined
  private plans: Plan[] = []
  /** What the last claim of this commit without types may take, by kind: the next one goes on with it. */
  private shared: Eligible | null = null

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
    this.candidates = new Candidates(client, ledger)
    this.suspects = new Suspects(client)
    this.rows = rows
  }

  /** `wanted`: how many jobs all claims of this commit may take together. */
  begin(wanted: number, now: number): void {
    this.plans = []
    this.shared = null
    this.isolation = undefined
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
    const eligible = this.eligible(op, now)
    const jobs: ClaimedRow[] = []
    let most = Math.min(op.limit, this.room.ofQueue(now))
    const isolation = most > 0 && eligible.size > 0 ? this.isolate(now) : null
    if (isolation) {
      const typeOf = (name: string) => this.catalog.type(name)
      const permission = isolation.permit(op, typeOf, eligible, this.candidates.first(eligible))
      if (permission === 'nothing') most = 0
      else if (permission !== 'others') {
        const { suspect } = permission
        const type = this.catalog.type(suspect.type)
        if (type) this.plan(op, type, suspect.head, jobs, suspect, now)
        return { jobs, nextEligibleAt: null }
      }
    }
    let chosen = 0
    while (chosen < most && eligible.size > 0) {
      const type = this.candidates.best(eligible)
      if (!type) break
      this.plan(op, type, this.candidates.pop(type.name), jobs, null, now)
      chosen += 1
      const room = (eligible.get(type) ?? 0) - 1
      if (room > 0) eligible.set(type, room)
      else eligible.delete(type)
    }
    if (this.shared?.rooms === eligible) this.shared.revision = this.room.revision
    if (chosen > 0) return { jobs, nextEligibleAt: null }
    if (!isolation) return { jobs, nextEligibleAt: this.nextEligibleAt(this.scope(op), now, promoteAt) }
    // What may run and was not chosen is left for others: no instant makes it claimable here.
    const limited = this.scope(op).filter((type) => !eligible.has(type))
    return { jobs, nextEligibleAt: this.nextEligibleAt(limited, now, promoteAt), passedOver: true }
  }

  private eligible(op: OpOf<'claim'>, now: number): Map<KnownType, number> {
    const kind = op.types === null ? (op.kindOfType ?? 'job') : null
    const { shared } = this
    if (shared && shared.kind === kind && shared.revision === this.room.revision) return shared.rooms
    const rooms = new Map<KnownType, number>()
    for (const type of this.scope(op)) {
      const room = this.room.of(type, now)
      if (room > 0) rooms.set(type, room)
    }
    if (kind !== null) this.shared = { kind, rooms, revision: this.room.revision }
    return rooms
  }

  private plan(
    op: OpOf<'claim'>,
    type: KnownType,
    [seq, priority, runAt]: Candidate,
    jobs: ClaimedRow[],
    suspect: Suspect | null,
    now: number,
  ): void {
    this.plans.push({ seq, type: type.name, priority, runAt, op, effective: type.effective, jobs, suspect })
    this.room.take(type, now)
    this.isolation?.chosen(op, suspect)
  }

  /** Read when the first claim of a commit chooses: what the commit has settled before counts. */
  private isolate(now: number): Isolation | null {
    if (this.isolation !== undefined) return this.isolation
    this.isolation = null
    if (!this.suspects.exist()) return null
    this.candidates.leaveOutCrashed()
    this.isolation = new Isolation(this.reservations, this.suspects.pending(now), this.suspects.holders(), now)
    return this.isolation
  }

  /** Takes what was chosen and hands it to those it was chosen for. */
  take(now: number): void {
    const plans = this.plans
    if (plans.length === 0) return
    this.plans = []
    this.room.taken()
    const rows = this.rows.take(plans, now)
    plans.forEach(({ op, jobs, suspect }, index) => {
      const row = rows[index]
      if (!row) return
      if (suspect && !op.settle) this.suspects.unconfirmed(row.seq)
      const { seq, id, type, version, runAt } = row
      this.ledger.record({ id, type, from: 'pending', to: 'processing' }, { waitMs: now - runAt })
      this.claims.remember(id, { seq, type, version, startedAt: now, worker: op.worker })
      jobs.push(op.settle ? this.complete(row, now) : row)
    })
  }

  private complete(row: ClaimedRow, now: number): ClaimedRow {
    this.settle.complete({ kind: 'complete', id: row.id, version: row.version, result: null }, now)
    return { ...row, leaseUntil: now }
  }

  /** The types a claim asks for; of a claim that names none, all that have pending jobs, plain ones unless it names a kind. */
  private scope(op: OpOf<'claim'>): readonly KnownType[] {
    const { types, kindOfType } = op
    if (types === null) {
      const all: KnownType[] = []
      for (const name of this.ledger.readyTypes()) {
        const type = this.catalog.type(name)
        if (type?.kind === (kindOfType ?? 'job')) all.push(type)
      }
      return all
    }
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
