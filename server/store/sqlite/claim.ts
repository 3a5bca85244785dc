/** Hands out jobs: the best of the types that may run now, each by one guarded UPDATE … RETURNING. */
import { leaseEnd } from '../../../shared/lifecycle.ts'
import { nextTokenAt } from '../../../shared/token-bucket.ts'
import type { EffectiveSettings } from '../../../shared/type-settings.ts'
import type { ClaimedRow, ClaimOutcome, OpOf } from '../ops.ts'
import { type Candidate, Candidates } from './candidates.ts'
import { type Catalog, type KnownType, WHOLE_QUEUE } from './catalog.ts'
import type { Ledger } from './ledger.ts'
import type { Client } from './open.ts'
import type { Settle } from './settle.ts'

/** Read as arrays: half the cost of objects with fourteen keys. */
const CLAIMED = `seq, id, type, version, attempts, max_attempts, priority, run_at, created_at, started_at, coalesce(lease_until, started_at),
  timeout_ms, traceparent, (SELECT payload FROM job_bodies WHERE job_bodies.seq = jobs.seq)`

type ClaimedTuple = [
  seq: number,
  id: string,
  type: string,
  version: number,
  attempts: number,
  maxAttempts: number | null,
  priority: number,
  runAt: number,
  createdAt: number,
  startedAt: number,
  leaseUntil: number,
  timeoutMs: number | null,
  traceparent: string | null,
  payload: string,
]

export class Claim {
  private readonly settle: Settle
  private readonly ledger: Ledger
  private readonly catalog: Catalog
  private readonly candidates: Candidates
  private readonly takeJob
  private readonly usedRequest
  private readonly replayed

  constructor(client: Client, settle: Settle, ledger: Ledger, catalog: Catalog) {
    this.settle = settle
    this.ledger = ledger
    this.catalog = catalog
    this.candidates = new Candidates(client)
    this.takeJob = client
      .prepare<
        [
          worker: string,
          leaseMs: number,
          leaseUntil: number,
          request: string | null,
          startedAt: number,
          updatedAt: number,
          seq: number,
        ],
        ClaimedTuple
      >(
        `UPDATE jobs SET status = 'processing', attempts = attempts + 1, version = version + 1, locked_by = ?,
           lease_ms = ?, lease_until = ?, claim_request_id = ?, started_at = ?, updated_at = ?, progress = NULL
         WHERE seq = ? AND status = 'pending' RETURNING ${CLAIMED}`,
      )
      .raw()
    this.usedRequest = client.prepare<[string], 1>('SELECT 1 FROM jobs WHERE claim_request_id = ? LIMIT 1').pluck()
    this.replayed = client
      .prepare<[request: string, worker: string, settled: string | null], ClaimedTuple>(
        `SELECT ${CLAIMED} FROM jobs
         WHERE claim_request_id = ? AND ((status = 'processing' AND locked_by = ?) OR status = ?)
         ORDER BY priority DESC, run_at, seq`,
      )
      .raw()
  }

  /** `wanted`: how many jobs all claims of this commit may take together. */
  begin(wanted: number): void {
    this.candidates.begin(wanted)
  }

  claim(op: OpOf<'claim'>, now: number, promoteAt: number | null): ClaimOutcome {
    if (op.requestId !== null && this.usedRequest.get(op.requestId)) return this.replay(op, op.requestId)
    if (this.catalog.isPaused() || this.catalog.isDraining(op.worker)) return { jobs: [], nextEligibleAt: null }
    const scope = this.scope(op)
    const eligible = new Map<KnownType, number>()
    for (const type of scope) {
      const room = this.room(type, now)
      if (room > 0) eligible.set(type, room)
    }
    const jobs: ClaimedRow[] = []
    let left = Math.min(op.limit, this.globalRoom(now))
    while (left > 0 && eligible.size > 0) {
      const type = this.candidates.best(eligible.keys())
      if (!type) break
      jobs.push(this.take(op, type, this.candidates.pop(type.name), now))
      left -= 1
      const room = (eligible.get(type) ?? 0) - 1
      if (room > 0) eligible.set(type, room)
      else eligible.delete(type)
    }
    return { jobs, nextEligibleAt: jobs.length > 0 ? null : this.nextEligibleAt(scope, now, promoteAt) }
  }

  /** How many jobs of a type could be claimed right now. */
  room(type: KnownType, now: number): number {
    const { name, effective } = type
    let room = effective.paused ? 0 : this.ledger.pending(name)
    if (room > 0 && effective.maxConcurrency !== null) {
      room = Math.min(room, effective.maxConcurrency - this.ledger.processing(name))
    }
    if (room > 0 && effective.rate !== null) {
      room = Math.min(room, this.catalog.tokens(name, effective.rate, effective.burst ?? 1, now))
    }
    return Math.max(0, room)
  }

  globalRoom(now: number): number {
    if (this.catalog.isPaused()) return 0
    const limit = this.catalog.globalRate()
    return limit ? this.catalog.tokens(WHOLE_QUEUE, limit.rate, limit.burst, now) : Number.POSITIVE_INFINITY
  }

  /** The types a claim asks for; without a word, all that hold plain jobs. */
  private scope(op: OpOf<'claim'>): readonly KnownType[] {
    if (op.types === null) return [...this.catalog.types()].filter((type) => type.kind === 'job')
    const found = new Set<KnownType>()
    for (const name of op.types) {
      const type = this.catalog.type(name)
      if (type) found.add(type)
    }
    return [...found]
  }

  private take(op: OpOf<'claim'>, type: KnownType, [seq, , , timeoutMs]: Candidate, now: number): ClaimedRow {
    const { name, effective } = type
    const deadline = timeoutMs ?? effective.timeoutMs
    const leaseMs = op.leaseMs ?? timeoutMs ?? effective.leaseMs
    const tuple = this.takeJob.get(
      op.worker,
      leaseMs,
      leaseEnd(now, leaseMs, now, deadline),
      op.requestId,
      now,
      now,
      seq,
    )
    if (!tuple) throw new Error(`Job ${seq} left the line inside our own transaction.`)
    const row = toRow(tuple, effective)
    if (effective.rate !== null) this.catalog.takeToken(name, effective.rate, effective.burst ?? 1, now)
    const limit = this.catalog.globalRate()
    if (limit) this.catalog.takeToken(WHOLE_QUEUE, limit.rate, limit.burst, now)
    this.ledger.record({ id: row.id, type: name, from: 'pending', to: 'processing', waitMs: now - row.runAt })
    if (!op.settle) return row
    this.settle.complete({ kind: 'complete', id: row.id, version: row.version, result: null }, now)
    return { ...row, leaseUntil: now }
  }

  /** Asking again gives what the first answer held and is still held; what went back into the line is free for all. */
  private replay(op: OpOf<'claim'>, request: string): ClaimOutcome {
    const tuples = this.replayed.all(request, op.worker, op.settle ? 'completed' : null)
    return { jobs: tuples.map((tuple) => toRow(tuple, this.catalog.effective(tuple[2]))), nextEligibleAt: null }
  }

  private nextEligibleAt(scope: readonly KnownType[], now: number, promoteAt: number | null): number | null {
    let next = promoteAt
    for (const type of scope) {
      const at = this.nextRoomAt(type, now)
      if (at !== null && (next === null || at < next)) next = at
    }
    return next
  }

  /** When time alone will make a job of this type claimable: a token comes. null: only an event can. */
  nextRoomAt({ name, effective }: KnownType, now: number): number | null {
    if (effective.paused || this.catalog.isPaused() || this.ledger.pending(name) === 0) return null
    if (effective.maxConcurrency !== null && this.ledger.processing(name) >= effective.maxConcurrency) return null
    const { rate, burst } = effective
    const limit = this.catalog.globalRate()
    const typeAt = rate === null ? now : nextTokenAt(this.catalog.bucket(name, rate, burst ?? 1, now), rate, now)
    const globalAt = limit
      ? nextTokenAt(this.catalog.bucket(WHOLE_QUEUE, limit.rate, limit.burst, now), limit.rate, now)
      : now
    return Math.max(typeAt, globalAt)
  }
}

function toRow(tuple: ClaimedTuple, settings: EffectiveSettings): ClaimedRow {
  return {
    seq: tuple[0],
    id: tuple[1],
    type: tuple[2],
    version: tuple[3],
    attempts: tuple[4],
    maxAttempts: tuple[5] ?? settings.maxAttempts,
    priority: tuple[6],
    runAt: tuple[7],
    createdAt: tuple[8],
    startedAt: tuple[9],
    leaseUntil: tuple[10],
    timeoutMs: tuple[11],
    traceparent: tuple[12],
    payload: tuple[13],
  }
}
