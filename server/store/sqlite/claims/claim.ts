/**
 * Claims: chooses jobs for every claim of a commit, then takes all of them with one statement. The SQL is in candidates.ts and
 * claim-rows.ts, the choice in store/decisions/choose-jobs.ts.
 */
import type { Kind } from '../../../../shared/status.ts'
import type { Capacity } from '../../decisions/capacity.ts'
import {
  type Choice,
  type ClaimOp,
  type ClaimState,
  chooseJobs,
  type EligibleTypes,
  eligibleTypes,
  refusedClaim,
} from '../../decisions/choose-jobs.ts'
import { Isolation } from '../../decisions/isolation.ts'
import { Reservations } from '../../decisions/reservations.ts'
import type { KnownType } from '../../decisions/rules.ts'
import type { ClaimedRow, ClaimOutcome } from '../../ops.ts'
import type { Groups } from '../commit/groups/groups.ts'
import type { Ledger } from '../commit/ledger.ts'
import type { Settle } from '../commit/settle.ts'
import type { Client } from '../connection/open.ts'
import { Candidates } from './candidates.ts'
import type { Catalog } from './catalog.ts'
import { ClaimRows } from './claim-rows.ts'
import type { HeldClaims } from './held-claims.ts'
import type { RecentPayloads } from './recent-payloads.ts'
import { Suspects } from './suspects.ts'

/** The eligible types of claims without types, valid for one revision of the capacity. */
interface SharedTypes {
  readonly kind: Kind
  readonly eligible: EligibleTypes
  revision: number
}

export interface ClaimOptions {
  readonly client: Client
  readonly payloads: RecentPayloads
  readonly heldClaims: HeldClaims
  readonly settle: Settle
  readonly ledger: Ledger
  readonly groups: Groups
  readonly catalog: Catalog
  readonly capacity: Capacity
}

export class Claim implements ClaimState {
  readonly rules: Catalog
  readonly capacity: Capacity
  readonly candidates: Candidates
  choices: Choice[] = []
  private readonly settle: Settle
  private readonly heldClaims: HeldClaims
  private readonly ledger: Ledger
  private readonly groups: Groups
  private readonly rows: ClaimRows
  private readonly suspects: Suspects
  private readonly reservations = new Reservations()
  /** For this commit: null when no job has crashes, undefined before the first claim. */
  private isolation: Isolation | null | undefined
  /** Reused by the next claim of this commit without types, as long as the capacity is the same. */
  private shared: SharedTypes | null = null

  constructor({ client, payloads, heldClaims, settle, ledger, groups, catalog, capacity }: ClaimOptions) {
    this.rules = catalog
    this.capacity = capacity
    this.candidates = new Candidates(client, ledger)
    this.settle = settle
    this.heldClaims = heldClaims
    this.ledger = ledger
    this.groups = groups
    this.rows = new ClaimRows(client, payloads)
    this.suspects = new Suspects(client)
  }

  /** `limit`: how many jobs all claims of this commit may take together. */
  begin(limit: number, now: number): void {
    this.choices = []
    this.shared = null
    this.isolation = undefined
    this.capacity.begin()
    this.candidates.begin(limit, () => this.take(now))
  }

  /** Excludes expired jobs: more have expired than one commit expires, or the clock is not trusted. */
  skipExpired(now: number): void {
    this.candidates.skipExpired(now)
  }

  /** `take` adds the jobs to the outcome. */
  choose(op: ClaimOp, now: number, promoteAt: number | null): ClaimOutcome {
    if (op.requestId !== null && this.isUsed(op.requestId, now)) return this.replay(op.requestId, op)
    const refused = refusedClaim(op, this.rules)
    if (refused) return refused
    const eligible = this.eligible(op, now)
    const outcome = chooseJobs(this, op, eligible, now, promoteAt)
    if (this.shared?.eligible === eligible) this.shared.revision = this.capacity.revision
    return outcome
  }

  private eligible(op: ClaimOp, now: number): EligibleTypes {
    const kind = op.types === null ? (op.kindOfType ?? 'job') : null
    const { shared } = this
    if (shared && shared.kind === kind && shared.revision === this.capacity.revision) return shared.eligible
    const eligible = eligibleTypes(this.requestedTypes(op), this.capacity, now)
    if (kind !== null) this.shared = { kind, eligible, revision: this.capacity.revision }
    return eligible
  }

  /** Read at the first claim of a commit, after the operations that come before claims. */
  isolate(now: number): Isolation | null {
    if (this.isolation !== undefined) return this.isolation
    this.isolation = null
    if (!this.suspects.exist()) return null
    this.candidates.leaveOutCrashed()
    this.isolation = new Isolation(this.reservations, this.suspects.pending(now), this.suspects.holders(), now)
    return this.isolation
  }

  /** Takes the chosen jobs and adds each to the outcome of its claim. */
  take(now: number): void {
    const { choices } = this
    if (choices.length === 0) return
    this.choices = []
    this.capacity.taken()
    const rows = this.rows.take(choices, now)
    choices.forEach(({ op, jobs, suspect }, index) => {
      const taken = rows[index]
      if (!taken) return
      const { row, group } = taken
      if (suspect && !op.settle) this.suspects.unconfirmed(row.seq)
      const { seq, id, type, version, runAt, tick } = row
      this.ledger.record({ id, type, from: 'pending', to: 'processing' }, { waitMs: Math.max(0, now - runAt) })
      if (group) this.groups.moved(group, { seq, from: 'pending', to: 'processing' }, now, runAt)
      this.heldClaims.remember(id, { seq, type, version, startedAt: now, worker: op.worker, group, runAt, tick })
      jobs.push(op.settle ? this.complete(row, now) : row)
    })
  }

  private complete(row: ClaimedRow, now: number): ClaimedRow {
    this.settle.complete({ kind: 'complete', id: row.id, version: row.version, result: null }, now)
    return { ...row, leaseUntil: now }
  }

  /** The types of a claim. Without types: all with pending jobs and of the requested kind, `job` by default. */
  requestedTypes(op: ClaimOp): readonly KnownType[] {
    const { types, kindOfType } = op
    if (types === null) {
      const all: KnownType[] = []
      for (const name of this.ledger.readyTypes()) {
        const type = this.rules.type(name)
        if (type?.kind === (kindOfType ?? 'job')) all.push(type)
      }
      return all
    }
    const found = new Set<KnownType>()
    for (const name of types) {
      const type = this.rules.type(name)
      if (type && (kindOfType === undefined || type.kind === kindOfType)) found.add(type)
    }
    return [...found]
  }

  private isUsed(requestId: string, now: number): boolean {
    if (this.choices.some(({ op }) => op.requestId === requestId)) this.take(now)
    return this.rows.isUsed(requestId)
  }

  /** A repeated request gets the jobs of the first response that its worker still holds. */
  private replay(requestId: string, op: ClaimOp): ClaimOutcome {
    const jobs = this.rows.heldBy(requestId, op, (type) => this.rules.effective(type))
    return { jobs, nextEligibleAt: null }
  }
}
