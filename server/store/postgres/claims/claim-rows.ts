/** SQL of claims: one UPDATE … RETURNING takes all jobs that the claims of a commit have chosen. */
import { TIMEOUT_GRACE_MS } from '../../../../shared/lifecycle.ts'
import type { EffectiveSettings } from '../../../../shared/settings/settings.ts'
import { type Choice, type ClaimOp, NO_DEADLINE_MS } from '../../decisions/choose-jobs.ts'
import type { KnownType, Rules } from '../../decisions/rules.ts'
import type { ClaimedRow } from '../../ops.ts'
import { CLAIMED, toClaimed } from '../../rows/claimed-rows.ts'
import type { Row, RowOf } from '../../rows/tables.ts'
import { columns, type Session } from '../connection/session.ts'

const PAYLOAD = '(SELECT payload FROM millrace_job_bodies b WHERE b.seq = j.seq) AS payload'

export const CLAIMED_LIST = `${CLAIMED.of('j')}, ${PAYLOAD}`

export interface ClaimedRecord extends RowOf<typeof CLAIMED>, Row<'jobBodies', 'payload'> {}

/**
 * In the order of the choices, which RETURNING does not guarantee. The rows are locked and pending since they were read. They are
 * found by ANY, because a join that was planned on an empty table could read all jobs from then on.
 */
export async function takeJobs(session: Session, choices: readonly Choice[]): Promise<readonly ClaimedRow[]> {
  const records = await session.rows<ClaimedRecord>(
    'take',
    `UPDATE millrace_jobs AS j SET status = 'processing', attempts = attempts + 1, version = version + 1, progress = NULL,
       started_at = $7, updated_at = $7, locked_by = chosen.worker, claim_request_id = chosen.request,
       lease_ms = coalesce(chosen.requested_ms, timeout_ms, chosen.lease_ms),
       lease_until = $7 + least(coalesce(chosen.requested_ms, timeout_ms, chosen.lease_ms),
                                coalesce(timeout_ms, chosen.deadline_ms) + ${TIMEOUT_GRACE_MS})
     FROM unnest($1::bigint[], $2::text[], $3::text[], $4::bigint[], $5::bigint[], $6::bigint[])
       AS chosen (seq, worker, request, requested_ms, lease_ms, deadline_ms)
     WHERE j.seq = ANY($1::bigint[]) AND j.seq = chosen.seq
     RETURNING ${CLAIMED_LIST}`,
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
    return toClaimed(record, record.payload, effective)
  })
}

/** The requests among these that have claimed jobs before. */
export async function usedRequests(session: Session, requestIds: readonly string[]): Promise<ReadonlySet<string>> {
  if (requestIds.length === 0) return new Set()
  const rows = await session.rows<{ readonly id: NonNullable<Row<'jobs'>['claimRequestId']> }>(
    'used',
    'SELECT DISTINCT claim_request_id AS id FROM millrace_jobs WHERE claim_request_id = ANY($1::text[])',
    [requestIds],
  )
  return new Set(rows.map(({ id }) => id))
}

/** The jobs that a request claimed and still holds. For claims that settle immediately: those it completed. */
export async function heldBy(
  session: Session,
  op: ClaimOp,
  settingsOf: (type: string) => EffectiveSettings,
): Promise<readonly ClaimedRow[]> {
  const records = await session.rows<ClaimedRecord>(
    'held-by',
    `SELECT ${CLAIMED_LIST} FROM millrace_jobs j
     WHERE claim_request_id = $1 AND locked_by = $2 AND (status = 'processing' OR status = $3)
     ORDER BY priority DESC, run_at, seq`,
    [op.requestId, op.worker, op.settle ? 'completed' : null],
  )
  return records.map((record) => toClaimed(record, record.payload, settingsOf(record.type)))
}

/** For claims that settle in the same commit: no other transaction has seen these jobs as processing. */
export async function completeTaken(session: Session, rows: readonly ClaimedRow[]): Promise<void> {
  await session.run(
    'complete-taken',
    `UPDATE millrace_jobs SET status = 'completed', lease_until = NULL, lease_ms = NULL, error = NULL, cancel_requested_at = NULL,
       finished_at = $2, updated_at = $2 WHERE seq = ANY($1::bigint[])`,
    [rows.map(({ seq }) => seq), session.now],
  )
}

/** The types of a claim. Without types: all of the requested kind, `job` by default. */
export function requestedTypes(rules: Rules, { types, kindOfType }: ClaimOp): readonly KnownType[] {
  if (types === null) return [...rules.types()].filter(({ kind }) => kind === (kindOfType ?? 'job'))
  const named = [...new Set(types)].flatMap((name) => rules.type(name) ?? [])
  return kindOfType === undefined ? named : named.filter(({ kind }) => kind === kindOfType)
}
