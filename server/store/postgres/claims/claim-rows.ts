/** The SQL of claiming: one UPDATE … RETURNING takes all jobs that the claims of a commit have chosen. */
import { TIMEOUT_GRACE_MS } from '../../../../shared/lifecycle.ts'
import type { EffectiveSettings } from '../../../../shared/settings.ts'
import type { ClaimedRow, OpOf } from '../../ops.ts'
import { columns, type Session } from '../connection/session.ts'

/** Longer than any lease: stands for "no deadline" in SQL. */
const NO_DEADLINE_MS = 10 ** 12

const CLAIMED = `j.seq, j.id, j.type, j.version, j.attempts, j.max_attempts AS "maxAttempts", j.crashes, j.priority,
  j.run_at AS "runAt", j.created_at AS "createdAt", j.started_at AS "startedAt",
  coalesce(j.lease_until, j.started_at) AS "leaseUntil", j.timeout_ms AS "timeoutMs", j.traceparent,
  (SELECT payload FROM millrace_job_bodies b WHERE b.seq = j.seq) AS payload`

interface ClaimedRecord extends Omit<ClaimedRow, 'maxAttempts'> {
  readonly maxAttempts: number | null
}

/** A job that was chosen for a claim. */
export interface Choice {
  readonly seq: number
  readonly op: OpOf<'claim'>
  readonly effective: EffectiveSettings
}

/** In the order chosen: RETURNING promises none. They are locked and pending since they were found. */
export async function takeJobs(session: Session, choices: readonly Choice[]): Promise<readonly ClaimedRow[]> {
  const records = await session.rows<ClaimedRecord>(
    'take',
    `UPDATE millrace_jobs AS j SET status = 'processing', attempts = attempts + 1, version = version + 1, progress = NULL,
       started_at = $7, updated_at = $7, locked_by = chosen.worker, claim_request_id = chosen.request,
       lease_ms = coalesce(chosen.asked_ms, timeout_ms, chosen.lease_ms),
       lease_until = $7 + least(coalesce(chosen.asked_ms, timeout_ms, chosen.lease_ms), coalesce(timeout_ms, chosen.deadline_ms) + ${TIMEOUT_GRACE_MS})
     FROM unnest($1::bigint[], $2::text[], $3::text[], $4::bigint[], $5::bigint[], $6::bigint[])
       AS chosen (seq, worker, request, asked_ms, lease_ms, deadline_ms)
     WHERE j.seq = chosen.seq
     RETURNING ${CLAIMED}`,
    [
      ...columns(choices, ({ seq, op, effective }) => [
        ...[seq, op.worker, op.requestId, op.leaseMs, effective.leaseMs, effective.timeoutMs ?? NO_DEADLINE_MS],
      ]),
      session.now,
    ],
  )
  const bySeq = new Map(records.map((record) => [record.seq, record]))
  return choices.map(({ seq, effective }) => {
    const record = bySeq.get(seq)
    if (!record) throw new Error(`Job ${seq} was chosen and not taken.`)
    return withSettings(record, effective)
  })
}

/** Which of these requests have been answered before. */
export async function usedRequests(session: Session, requestIds: readonly string[]): Promise<ReadonlySet<string>> {
  if (requestIds.length === 0) return new Set()
  const rows = await session.rows<{ id: string }>(
    'used',
    'SELECT DISTINCT claim_request_id AS id FROM millrace_jobs WHERE claim_request_id = ANY($1::text[])',
    [requestIds],
  )
  return new Set(rows.map(({ id }) => id))
}

/** What a request got and still holds; for claims that settle at once, what it completed. */
export async function heldBy(
  session: Session,
  op: OpOf<'claim'>,
  settingsOf: (type: string) => EffectiveSettings,
): Promise<readonly ClaimedRow[]> {
  const records = await session.rows<ClaimedRecord>(
    'held-by',
    `SELECT ${CLAIMED} FROM millrace_jobs j
     WHERE claim_request_id = $1 AND locked_by = $2 AND (status = 'processing' OR status = $3)
     ORDER BY priority DESC, run_at, seq`,
    [op.requestId, op.worker, op.settle ? 'completed' : null],
  )
  return records.map((record) => withSettings(record, settingsOf(record.type)))
}

/** What the job does not say, its type does. */
function withSettings(record: ClaimedRecord, { maxAttempts, timeoutMs }: EffectiveSettings): ClaimedRow {
  return { ...record, maxAttempts: record.maxAttempts ?? maxAttempts, timeoutMs: record.timeoutMs ?? timeoutMs }
}

/** Claims that settle in the same commit: nobody else has seen these jobs as running. */
export async function completeTaken(session: Session, rows: readonly ClaimedRow[]): Promise<void> {
  await session.run(
    'complete-taken',
    `UPDATE millrace_jobs SET status = 'completed', lease_until = NULL, lease_ms = NULL, error = NULL, cancel_requested_at = NULL,
       finished_at = $2, updated_at = $2 WHERE seq = ANY($1::bigint[])`,
    [rows.map(({ seq }) => seq), session.now],
  )
}
