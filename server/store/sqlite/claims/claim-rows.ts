/** SQL of claims: one UPDATE … RETURNING takes all jobs that the claims of a commit have chosen. */
import { TIMEOUT_GRACE_MS } from '../../../../shared/lease-end.ts'
import type { EffectiveSettings } from '../../../../shared/settings/settings.ts'
import { type Choice, type ClaimOp, NO_DEADLINE_MS } from '../../decisions/choose-jobs.ts'
import type { JobGroup } from '../../decisions/group-of-job.ts'
import type { ClaimedRow } from '../../ops.ts'
import { CLAIMED, toClaimed } from '../../rows/claimed-rows.ts'
import { columnsOf, type Row, type RowOf, type TupleOf } from '../../rows/tables.ts'
import type { Client } from '../connection/open.ts'
import type { RecentPayloads } from './recent-payloads.ts'

/** RETURNING copies each value twice: a payload larger than this is read with a second statement. */
const LARGE_BYTES = 4_096

const PAYLOAD = `(SELECT iif(octet_length(payload) > ${LARGE_BYTES}, NULL, payload) FROM millrace_job_bodies WHERE millrace_job_bodies.seq = millrace_jobs.seq)`

/** The columns of a taken job that its choice does not know. Read as arrays: half the cost of objects. */
const TAKEN = columnsOf('jobs', [
  ...(['seq', 'id', 'version', 'attempts', 'maxAttempts', 'crashes', 'createdAt', 'leaseUntil', 'timeoutMs'] as const),
  ...(['traceparent', 'groupName', 'groupKey', 'tick'] as const),
])
const { at } = TAKEN
type TakenTuple = [...TupleOf<typeof TAKEN>, payload: string | null]
const PAYLOAD_AT = 13

/** How a job is leased: SQL expressions. */
interface LeaseSql {
  readonly worker: string
  readonly request: string
  readonly requestedMs: string
  readonly leaseMs: string
  readonly deadlineMs: string
}

const takeSql = ({ worker, request, requestedMs, leaseMs, deadlineMs }: LeaseSql, chosen: string) =>
  `UPDATE millrace_jobs SET status = 'processing', attempts = attempts + 1, version = version + 1, progress = NULL,
     started_at = ?, updated_at = ?, locked_by = ${worker}, claim_request_id = ${request},
     lease_ms = coalesce(${requestedMs}, timeout_ms, ${leaseMs}),
     lease_until = ? + min(coalesce(${requestedMs}, timeout_ms, ${leaseMs}),
                           coalesce(timeout_ms, ${deadlineMs}) + ${TIMEOUT_GRACE_MS})
   ${chosen} AND millrace_jobs.status = 'pending'
   RETURNING ${TAKEN.names}, ${PAYLOAD}`

/** Where this many jobs are leased alike, they share a statement: 8.4 µs a job in batches of 50, and 10.0 if each has its values in it. */
const MIN_ALIKE = 4

/** A claimed job and its group. */
export interface TakenJob {
  readonly row: ClaimedRow
  /** null: the job has no group. */
  readonly group: JobGroup | null
}

export class ClaimRows {
  private readonly payloads: RecentPayloads
  private readonly takeMixed
  private readonly takeAlike
  private readonly selectUsed
  private readonly selectHeld
  private readonly selectPayload

  constructor(client: Client, payloads: RecentPayloads) {
    this.payloads = payloads
    // 12 µs a job in a batch of 64; one UPDATE … RETURNING per job took 17, each opening a table for its one row.
    this.takeMixed = client
      .prepare<[startedAt: number, updatedAt: number, now: number, choices: string], TakenTuple>(
        takeSql(
          {
            ...{ worker: 'chosen.worker', request: 'chosen.request', requestedMs: 'chosen.requested_ms' },
            ...{ leaseMs: 'chosen.lease_ms', deadlineMs: 'chosen.deadline_ms' },
          },
          `FROM (SELECT value ->> 0 AS seq, value ->> 1 AS worker, value ->> 2 AS request, value ->> 3 AS requested_ms,
                        value ->> 4 AS lease_ms, value ->> 5 AS deadline_ms FROM json_each(?)) AS chosen
           WHERE millrace_jobs.seq = chosen.seq`,
        ),
      )
      .raw()
    this.takeAlike = client
      .prepare<unknown[], TakenTuple>(
        takeSql(
          { worker: '?', request: '?', requestedMs: '?', leaseMs: '?', deadlineMs: '?' },
          'WHERE millrace_jobs.seq IN (SELECT value FROM json_each(?))',
        ),
      )
      .raw()
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

  /** In the order of the choices, which RETURNING does not guarantee. */
  take(choices: readonly Choice[], now: number): readonly TakenJob[] {
    const bySeq = new Map<number, TakenTuple>()
    for (const tuple of this.update(choices, now)) bySeq.set(tuple[at.seq], tuple)
    if (bySeq.size !== choices.length) {
      throw new Error('A job was chosen twice, or is no longer pending within the same transaction.')
    }
    return choices.map((choice) => {
      const taken = bySeq.get(choice.seq)
      if (!taken) throw new Error(`Job ${choice.seq} was chosen and not taken.`)
      const { seq, type, priority, runAt, effective } = choice
      const id = taken[at.id]
      const row: ClaimedRow = {
        seq,
        id,
        type,
        version: taken[at.version],
        attempts: taken[at.attempts],
        maxAttempts: taken[at.maxAttempts] ?? effective.maxAttempts,
        crashes: taken[at.crashes],
        priority,
        runAt,
        createdAt: taken[at.createdAt],
        startedAt: now,
        leaseUntil: taken[at.leaseUntil] ?? now,
        timeoutMs: taken[at.timeoutMs] ?? effective.timeoutMs,
        traceparent: taken[at.traceparent],
        tick: taken[at.tick],
        payload: taken[PAYLOAD_AT] ?? this.payloads.take(id) ?? this.payload(seq),
      }
      const name = taken[at.groupName]
      const key = taken[at.groupKey]
      return { row, group: name === null || key === null ? null : { name, key } }
    })
  }

  private update(choices: readonly Choice[], now: number): readonly TakenTuple[] {
    const parts = leasedAlike(choices)
    if (parts.length > 1 && parts.length * MIN_ALIKE > choices.length) {
      return this.takeMixed.all(now, now, now, encode(choices))
    }
    return parts.flatMap(({ op: { worker, requestId, leaseMs: ownMs }, effective: { leaseMs, timeoutMs }, seqs }) => {
      const deadlineMs = timeoutMs ?? NO_DEADLINE_MS
      const chosen = JSON.stringify(seqs)
      return this.takeAlike.all(now, now, worker, requestId, ownMs, leaseMs, now, ownMs, leaseMs, deadlineMs, chosen)
    })
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

interface LeasedAlike {
  readonly op: ClaimOp
  readonly effective: EffectiveSettings
  readonly seqs: number[]
}

function leasedAlike(choices: readonly Choice[]): readonly LeasedAlike[] {
  const parts: LeasedAlike[] = []
  let last: LeasedAlike | undefined
  for (const { op, effective, seq } of choices) {
    if (last?.op !== op || !isAlike(last.effective, effective)) {
      last = { op, effective, seqs: [] }
      parts.push(last)
    }
    last.seqs.push(seq)
  }
  return parts
}

function isAlike(one: EffectiveSettings, other: EffectiveSettings): boolean {
  return one.leaseMs === other.leaseMs && one.timeoutMs === other.timeoutMs
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
