/** Claims in plain commits. Without limits, one UPDATE … RETURNING finds, locks and takes the jobs; see claim.ts for the others. */
import { TIMEOUT_GRACE_MS } from '../../../../shared/lease-end.ts'
import { type ClaimOp, NO_DEADLINE_MS } from '../../decisions/choose-jobs.ts'
import type { KnownType } from '../../decisions/rules.ts'
import type { ClaimedRow } from '../../ops.ts'
import { toClaimed } from '../../rows/claimed-rows.ts'
import { GROUP } from '../../rows/group-rows.ts'
import type { Row } from '../../rows/tables.ts'
import { keyOfJob, type OptionalKey } from '../commit/groups/key-rows.ts'
import type { Ledger } from '../commit/ledger.ts'
import { instantOr } from '../connection/clock.ts'
import { columns, type Session } from '../connection/session.ts'
import { MANY_TYPES, MAX_PER_TYPE } from './candidates.ts'
import type { Catalog } from './catalog.ts'
import { CLAIMED_LIST, type ClaimedRecord, requestedTypes } from './claim-rows.ts'

/** Claims with other types need a statement each; more of them than this are not plain. */
const MAX_GROUPS = 4

/** Consecutive claims of one commit for the same types. */
export interface PlainGroup {
  readonly types: readonly KnownType[]
  readonly ops: readonly ClaimOp[]
}

interface RankedRecord extends ClaimedRecord, Partial<Row<'jobs', 'groupKey'>> {
  /** The place of the job in claim order, from 1. */
  readonly rank: number
}

/** The columns of the key were read only for claims with keys. */
export type TakenRecord = RankedRecord & OptionalKey

export interface PlainClaims {
  readonly groups: readonly PlainGroup[]
  /** The claims, when one of them is for a type with limits: all of them are then chosen together. */
  readonly limited: readonly ClaimOp[]
}

/** The jobs of each claim. */
export type Taken = ReadonlyMap<ClaimOp, readonly TakenRecord[]>

/** null: some of the claims need refusals, or more than one search. */
export function planClaims(ops: readonly ClaimOp[], catalog: Catalog): PlainClaims | null {
  if (ops.length === 0) return { groups: [], limited: [] }
  if (catalog.isPaused()) return null
  const groups: { readonly scope: string; readonly types: readonly KnownType[]; readonly ops: ClaimOp[] }[] = []
  for (const op of ops) {
    if (op.settle || catalog.isDraining(op.worker)) return null
    const scope = JSON.stringify([op.types, op.kindOfType])
    const last = groups.at(-1)
    if (last?.scope === scope) last.ops.push(op)
    else
      groups.push({ scope, types: requestedTypes(catalog, op).filter(({ effective }) => !effective.paused), ops: [op] })
  }
  const types = new Set(groups.flatMap((group) => group.types))
  if (groups.some((group) => group.types.length > MANY_TYPES)) return null
  if (catalog.globalRate() !== null || ![...types].every(isUnlimited)) {
    return types.size <= MANY_TYPES ? { groups: [], limited: ops } : null
  }
  return groups.length <= MAX_GROUPS ? { groups, limited: [] } : null
}

function isUnlimited({ effective: { maxConcurrency, rate } }: KnownType): boolean {
  return maxConcurrency === null && rate === null
}

/**
 * Returns the jobs of each claim. Jobs with crashes are left out: they need isolation. The condition is part of the search, so that
 * it is checked again on a row that another node has just changed. The limit that is a constant bounds the estimated cost, which
 * would grow with the number of pending jobs; the other one ends the search, and with it the locks. `withKeys`: locks the keys of the
 * jobs too, and leaves jobs whose key another transaction holds.
 */
export async function takePlain(session: Session, { types, ops }: PlainGroup, withKeys: boolean): Promise<Taken> {
  const taken = new Map<ClaimOp, TakenRecord[]>(ops.map((op) => [op, []]))
  if (types.length === 0) return taken
  let last = 0
  const windows = ops.map((op) => {
    const first = last + 1
    last += op.limit
    return { op, first, last }
  })
  const records = await session.rows<TakenRecord>(
    withKeys ? 'claim-with-keys' : 'claim',
    `WITH picked AS MATERIALIZED (
       SELECT j.seq, t.lease_ms, t.deadline_ms, ${withKeys ? 'g.*, ' : ''}row_number() OVER (ORDER BY j.priority DESC, j.run_at, j.seq) AS rank
       FROM unnest($1::text[], $2::bigint[], $3::bigint[]) AS t (name, lease_ms, deadline_ms), LATERAL (
         SELECT * FROM (
           SELECT seq, priority, run_at${withKeys ? ', group_name, group_key' : ''} FROM millrace_jobs
           WHERE type = t.name AND status = 'pending' AND (expires_at IS NULL OR expires_at > ${instantOr('$10')})
             AND (crashes = 0 OR face = 'messages')
           ORDER BY priority DESC, run_at, seq LIMIT ${MAX_PER_TYPE} FOR UPDATE SKIP LOCKED) AS first
         LIMIT $9) AS j
       ${withKeys ? `LEFT JOIN LATERAL (${keyOfJob('j')} FOR UPDATE SKIP LOCKED) AS g ON true WHERE j.group_key IS NULL OR g.key IS NOT NULL` : ''})
     UPDATE millrace_jobs AS j SET status = 'processing', attempts = attempts + 1, version = version + 1, progress = NULL,
       started_at = ${instantOr('$10')}, updated_at = ${instantOr('$10')}, locked_by = o.worker, claim_request_id = o.request,
       lease_ms = coalesce(o.requested_ms, timeout_ms, picked.lease_ms),
       lease_until = ${instantOr('$10')} + least(coalesce(o.requested_ms, timeout_ms, picked.lease_ms),
                                coalesce(timeout_ms, picked.deadline_ms) + ${TIMEOUT_GRACE_MS})
     FROM picked, unnest($4::text[], $5::text[], $6::bigint[], $7::bigint[], $8::bigint[])
       AS o (worker, request, requested_ms, first, last)
     WHERE j.seq = ANY(ARRAY(SELECT seq FROM picked)) AND j.seq = picked.seq AND picked.rank BETWEEN o.first AND o.last
     RETURNING ${CLAIMED_LIST}, picked.rank, ${withKeys ? GROUP.of('picked') : 'j.group_key AS "groupKey"'}`,
    [
      ...columns(types, ({ name, effective: e }) => [name, e.leaseMs, e.timeoutMs ?? NO_DEADLINE_MS]),
      ...columns(windows, (w) => [w.op.worker, w.op.requestId, w.op.leaseMs, w.first, w.last]),
      ...[Math.min(last, MAX_PER_TYPE), session.instant],
    ],
  )
  records.sort((a, b) => a.rank - b.rank)
  let place = 0
  for (const { op, last } of windows) {
    for (let record = records[place]; record && record.rank <= last; record = records[++place])
      taken.get(op)?.push(record)
  }
  return taken
}

/** Records the claimed jobs of one claim in the ledger, and returns them as its outcome. */
export function plainJobs(
  records: readonly TakenRecord[],
  catalog: Catalog,
  ledger: Ledger,
  now: number,
): ClaimedRow[] {
  return records.map((record) => {
    const job = toClaimed(record, record.payload, catalog.effective(record.type))
    const { id, type, runAt } = job
    // A job of a group may have been put ahead of the clock.
    ledger.record({ id, type, from: 'pending', to: 'processing' }, { waitMs: Math.max(0, now - runAt) })
    ledger.leased(job.leaseUntil)
    return job
  })
}
