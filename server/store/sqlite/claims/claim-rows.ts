/** The SQL of claiming: one UPDATE … RETURNING takes all jobs that the claims of a commit have chosen. */
import { TIMEOUT_GRACE_MS } from '../../../../shared/lifecycle.ts'
import type { EffectiveSettings } from '../../../../shared/settings.ts'
import type { ClaimedRow, OpOf } from '../../ops.ts'
import type { Client } from '../connection/open.ts'
import type { RecentPayloads } from './recent-payloads.ts'

/** Longer than any lease: stands for "no deadline" in SQL. */
const NO_DEADLINE_MS = 10 ** 12

/** RETURNING copies what it returns twice; a payload larger than this is read by itself afterwards. */
const LARGE_BYTES = 4_096

const PAYLOAD = `(SELECT iif(octet_length(payload) > ${LARGE_BYTES}, NULL, payload) FROM millrace_job_bodies WHERE millrace_job_bodies.seq = millrace_jobs.seq)`

const CLAIMED = `seq, id, type, version, attempts, max_attempts, crashes, priority, run_at, created_at, started_at,
  coalesce(lease_until, started_at), timeout_ms, traceparent, ${PAYLOAD}`

/** Read as arrays: half the cost of objects with fourteen keys. */
type ClaimedTuple = [
  seq: number,
  id: string,
  type: string,
  version: number,
  attempts: number,
  maxAttempts: number | null,
  crashes: number,
  priority: number,
  runAt: number,
  createdAt: number,
  startedAt: number,
  leaseUntil: number,
  timeoutMs: number | null,
  traceparent: string | null,
  payload: string | null,
]

/** What taking a job tells that choosing it did not. */
type TakenTuple = [
  seq: number,
  id: string,
  version: number,
  attempts: number,
  maxAttempts: number | null,
  crashes: number,
  createdAt: number,
  leaseUntil: number,
  timeoutMs: number | null,
  traceparent: string | null,
  payload: string | null,
]

/** A job that was chosen for a claim. */
export interface Choice {
  readonly seq: number
  readonly type: string
  readonly priority: number
  readonly runAt: number
  readonly op: OpOf<'claim'>
  readonly effective: EffectiveSettings
}

export class ClaimRows {
  private readonly payloads: RecentPayloads
  private readonly takeJobs
  private readonly usedRequest
  private readonly heldByRequest
  private readonly selectPayload

  constructor(client: Client, payloads: RecentPayloads) {
    this.payloads = payloads
    // 12 µs a job in a batch of 64; one UPDATE … RETURNING per job took 17, each opening a table for its one row.
    this.takeJobs = client
      .prepare<[startedAt: number, updatedAt: number, now: number, choices: string], TakenTuple>(
        `UPDATE millrace_jobs SET status = 'processing', attempts = attempts + 1, version = version + 1, progress = NULL,
           started_at = ?, updated_at = ?, locked_by = chosen.worker, claim_request_id = chosen.request,
           lease_ms = coalesce(chosen.asked_ms, timeout_ms, chosen.lease_ms),
           lease_until = ? + min(coalesce(chosen.asked_ms, timeout_ms, chosen.lease_ms),
                                 coalesce(timeout_ms, chosen.deadline_ms) + ${TIMEOUT_GRACE_MS})
         FROM (SELECT value ->> 0 AS seq, value ->> 1 AS worker, value ->> 2 AS request, value ->> 3 AS asked_ms,
                      value ->> 4 AS lease_ms, value ->> 5 AS deadline_ms FROM json_each(?)) AS chosen
         WHERE millrace_jobs.seq = chosen.seq AND millrace_jobs.status = 'pending'
         RETURNING seq, id, version, attempts, max_attempts, crashes, created_at, lease_until, timeout_ms, traceparent,
           ${PAYLOAD}`,
      )
      .raw()
    this.selectPayload = client
      .prepare<[number], string>('SELECT payload FROM millrace_job_bodies WHERE seq = ?')
      .pluck()
    this.usedRequest = client
      .prepare<[string], 1>('SELECT 1 FROM millrace_jobs WHERE claim_request_id = ? LIMIT 1')
      .pluck()
    this.heldByRequest = client
      .prepare<[request: string, worker: string, settled: string | null], ClaimedTuple>(
        `SELECT ${CLAIMED} FROM millrace_jobs
         WHERE claim_request_id = ? AND locked_by = ? AND (status = 'processing' OR status = ?)
         ORDER BY priority DESC, run_at, seq`,
      )
      .raw()
  }

  /** In the order chosen: RETURNING promises none. */
  take(choices: readonly Choice[], now: number): readonly ClaimedRow[] {
    const bySeq = new Map<number, TakenTuple>()
    for (const tuple of this.takeJobs.all(now, now, now, encode(choices))) bySeq.set(tuple[0], tuple)
    if (bySeq.size !== choices.length)
      throw new Error('A job was chosen twice, or left the line in our own transaction.')
    return choices.map((choice) => {
      const taken = bySeq.get(choice.seq)
      if (!taken) throw new Error(`Job ${choice.seq} was chosen and not taken.`)
      const { seq, type, priority, runAt, effective } = choice
      return {
        seq,
        id: taken[1],
        type,
        version: taken[2],
        attempts: taken[3],
        maxAttempts: taken[4] ?? effective.maxAttempts,
        crashes: taken[5],
        priority,
        runAt,
        createdAt: taken[6],
        startedAt: now,
        leaseUntil: taken[7],
        timeoutMs: taken[8] ?? effective.timeoutMs,
        traceparent: taken[9],
        payload: taken[10] ?? this.payloads.take(taken[1]) ?? this.payload(seq),
      }
    })
  }

  isUsed(requestId: string): boolean {
    return this.usedRequest.get(requestId) !== undefined
  }

  /** What a request got and still holds; for claims that settle at once, what it completed. */
  heldBy(requestId: string, op: OpOf<'claim'>, settingsOf: (type: string) => EffectiveSettings): readonly ClaimedRow[] {
    const tuples = this.heldByRequest.all(requestId, op.worker, op.settle ? 'completed' : null)
    return tuples.map((tuple) => this.toRow(tuple, settingsOf(tuple[2])))
  }

  private payload(seq: number): string {
    return this.selectPayload.get(seq) ?? 'null'
  }

  private toRow(tuple: ClaimedTuple, settings: EffectiveSettings): ClaimedRow {
    return {
      seq: tuple[0],
      id: tuple[1],
      type: tuple[2],
      version: tuple[3],
      attempts: tuple[4],
      maxAttempts: tuple[5] ?? settings.maxAttempts,
      crashes: tuple[6],
      priority: tuple[7],
      runAt: tuple[8],
      createdAt: tuple[9],
      startedAt: tuple[10],
      leaseUntil: tuple[11],
      timeoutMs: tuple[12] ?? settings.timeoutMs,
      traceparent: tuple[13],
      payload: tuple[14] ?? this.payload(tuple[0]),
    }
  }
}

function encode(choices: readonly Choice[]): string {
  return JSON.stringify(
    choices.map(({ seq, op, effective }) => [
      seq,
      op.worker,
      op.requestId,
      op.leaseMs,
      effective.leaseMs,
      effective.timeoutMs ?? NO_DEADLINE_MS,
    ]),
  )
}
