/** SQL of claims: reads each chosen job and marks it as processing. */
import { deadlineMs, leaseEnd } from '../../../../shared/lifecycle.ts'
import type { EffectiveSettings } from '../../../../shared/settings/settings.ts'
import type { Choice, ClaimOp } from '../../decisions/claim-plan.ts'
import type { ClaimedRow } from '../../ops.ts'
import { CLAIMED, toClaimed } from '../../rows/claimed-rows.ts'
import { columnsOf, type Row, type RowOf, type TupleOf } from '../../rows/tables.ts'
import type { Client } from '../connection/open.ts'
import type { RecentPayloads } from './recent-payloads.ts'

/** A payload larger than this is taken from the cache, or read with a second statement. */
const LARGE_BYTES = 4_096

const PAYLOAD = `(SELECT iif(octet_length(payload) > ${LARGE_BYTES}, NULL, payload) FROM millrace_job_bodies WHERE millrace_job_bodies.seq = millrace_jobs.seq)`

/** The columns of a chosen job that its choice does not know. Read as arrays: half the cost of objects. */
const CHOSEN = columnsOf('jobs', [
  ...(['id', 'version', 'attempts', 'maxAttempts', 'crashes', 'createdAt', 'timeoutMs', 'traceparent'] as const),
])
const { at } = CHOSEN
type ChosenTuple = [...TupleOf<typeof CHOSEN>, payload: string | null]
const PAYLOAD_AT = 8

type TakeParams = [
  ...[attempts: number, version: number, startedAt: number, updatedAt: number, worker: string],
  ...[requestId: string | null, leaseMs: number, leaseUntil: number, seq: number],
]

export class ClaimRows {
  private readonly payloads: RecentPayloads
  private readonly selectChosen
  private readonly takeJob
  private readonly selectUsed
  private readonly selectHeld
  private readonly selectPayload

  constructor(client: Client, payloads: RecentPayloads) {
    this.payloads = payloads
    // Of a commit that completes and claims jobs, in µs a job with 50 (with 1) of them: these two statements 11.3 (57.7), one
    // UPDATE … FROM json_each … RETURNING for all jobs 12.4 (62.9), which materialises the jobs twice.
    this.selectChosen = client
      .prepare<[seq: number], ChosenTuple>(`SELECT ${CHOSEN.names}, ${PAYLOAD} FROM millrace_jobs WHERE seq = ?`)
      .raw()
    this.takeJob = client.prepare<TakeParams>(
      `UPDATE millrace_jobs SET status = 'processing', attempts = ?, version = ?, progress = NULL, started_at = ?, updated_at = ?,
         locked_by = ?, claim_request_id = ?, lease_ms = ?, lease_until = ?
       WHERE seq = ? AND status = 'pending'`,
    )
    this.selectPayload = client
      .prepare<[seq: number], Row<'jobBodies'>['payload']>('SELECT payload FROM millrace_job_bodies WHERE seq = ?')
      .pluck()
    this.selectUsed = client
      .prepare<[requestId: string], 1>('SELECT 1 FROM millrace_jobs WHERE claim_request_id = ? LIMIT 1')
      .pluck()
    this.selectHeld = client.prepare<
      [requestId: string, worker: string, settled: string | null],
      RowOf<typeof CLAIMED>
    >(
      `SELECT ${CLAIMED.list} FROM millrace_jobs
       WHERE claim_request_id = ? AND locked_by = ? AND (status = 'processing' OR status = ?)
       ORDER BY priority DESC, run_at, seq`,
    )
  }

  take({ seq, type, priority, runAt, op, effective }: Choice, now: number): ClaimedRow {
    const chosen = this.selectChosen.get(seq)
    if (!chosen) throw new Error(`Job ${seq} was chosen and does not exist.`)
    const id = chosen[at.id]
    const version = chosen[at.version] + 1
    const attempts = chosen[at.attempts] + 1
    const timeout = { timeoutMs: chosen[at.timeoutMs] }
    const leaseMs = op.leaseMs ?? timeout.timeoutMs ?? effective.leaseMs
    const leaseUntil = leaseEnd(now, leaseMs, now, deadlineMs(timeout, effective))
    const { worker, requestId } = op
    const taken = this.takeJob.run(attempts, version, now, now, worker, requestId, leaseMs, leaseUntil, seq)
    if (taken.changes !== 1) {
      throw new Error('A job was chosen twice, or is no longer pending within the same transaction.')
    }
    return {
      seq,
      id,
      type,
      version,
      attempts,
      maxAttempts: chosen[at.maxAttempts] ?? effective.maxAttempts,
      crashes: chosen[at.crashes],
      priority,
      runAt,
      createdAt: chosen[at.createdAt],
      startedAt: now,
      leaseUntil,
      timeoutMs: timeout.timeoutMs ?? effective.timeoutMs,
      traceparent: chosen[at.traceparent],
      payload: chosen[PAYLOAD_AT] ?? this.payloads.take(id) ?? this.payload(seq),
    }
  }

  isUsed(requestId: string): boolean {
    return this.selectUsed.get(requestId) !== undefined
  }

  /** The jobs that a request claimed and still holds. For claims that settle immediately: those it completed. */
  heldBy(requestId: string, op: ClaimOp, settingsOf: (type: string) => EffectiveSettings): readonly ClaimedRow[] {
    const rows = this.selectHeld.all(requestId, op.worker, op.settle ? 'completed' : null)
    return rows.map((row) => toClaimed(row, this.payload(row.seq), settingsOf(row.type)))
  }

  private payload(seq: number): string {
    return this.selectPayload.get(seq) ?? 'null'
  }
}
