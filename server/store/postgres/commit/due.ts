/** Transitions caused by time: delayed jobs become due, jobs expire, leases expire (rescue). Rows that other nodes have locked are skipped. */
import { expireJob, rescueJob } from '../../../../shared/lifecycle.ts'
import type { ClockTrust } from '../../clock-trust.ts'
import { leaseMsOf, renewedLeaseEnd } from '../../decisions/leases.ts'
import type { OpOf, OpValue } from '../../ops.ts'
import { GROUP, type GroupRecord } from '../../rows/group-rows.ts'
import { LIVE, type LiveRecord, type LiveRow } from '../../rows/live-rows.ts'
import type { Row } from '../../rows/tables.ts'
import type { DueTimes } from '../../store.ts'
import type { NamedQueryable } from '../connection/open.ts'
import type { CommitContext } from './context.ts'
import { admitDue } from './groups/admit-due.ts'

/** Must imply the conditions of the partial indexes, or PostgreSQL does not use them. */
const IS_WAITING = `status IN ('scheduled', 'retrying')`
const CAN_EXPIRE = `expires_at IS NOT NULL AND finished_at IS NULL AND status <> 'processing'`

export async function promote(context: CommitContext, op: OpOf<'promote'>): Promise<OpValue<'promote'>> {
  const { session, live, ledger, trust, groups } = context
  const expired = trust.isSure ? await groups.tryLockOf(await findExpired(context, op.limit)) : []
  for (const job of expired) live.apply(job, expireJob(job, session.now))
  live.flush()
  const [due, woken] = await Promise.all([
    session.rows<DueRow>(
      'promote',
      `WITH due AS MATERIALIZED (
         SELECT seq, id, type, status, group_key FROM millrace_jobs WHERE ${IS_WAITING} AND run_at <= $1
         ORDER BY run_at LIMIT $2 FOR UPDATE SKIP LOCKED
       ), promoted AS (
         UPDATE millrace_jobs SET status = 'pending', updated_at = $1 FROM due
         WHERE millrace_jobs.seq = due.seq AND due.group_key IS NULL
       )
       SELECT seq, id, type, status, group_key IS NOT NULL AS "hasKey" FROM due`,
      [session.now, op.limit],
    ),
    session.rows<GroupRecord>(
      'group-woken',
      `SELECT ${GROUP.list} FROM millrace_job_groups WHERE wake_at <= $1 ORDER BY wake_at LIMIT $2 FOR UPDATE SKIP LOCKED`,
      [session.now, op.limit],
    ),
  ])
  for (const { id, type, status, hasKey } of due) if (!hasKey) ledger.record({ id, type, from: status, to: 'pending' })
  for (const record of woken) groups.touch(record)
  const grouped = due.flatMap(({ seq, hasKey }) => (hasKey ? [seq] : []))
  const admitted = grouped.length > 0 ? await promoteGrouped(context, grouped) : 0
  await groups.handOn()
  const promoted = due.length - grouped.length + admitted
  return { more: promoted === op.limit || expired.length === op.limit || woken.length === op.limit }
}

interface DueRow extends Row<'jobs', 'seq' | 'id' | 'type' | 'status'> {
  readonly hasKey: boolean
}

/** Jobs that this commit has locked. Returns how many of their keys were free. */
async function promoteGrouped(context: CommitContext, seqs: readonly number[]): Promise<number> {
  const { session, live, groups } = context
  const text = `SELECT ${LIVE.list} FROM millrace_jobs WHERE seq = ANY($1::bigint[]) ORDER BY run_at, seq`
  const jobs = await groups.tryLockOf(live.keep(await session.rows<LiveRecord>('promote-grouped', text, [seqs])))
  for (const job of jobs) await admitDue(context, job)
  live.flush()
  return jobs.length
}

export async function rescue(context: CommitContext, op: OpOf<'rescue'>): Promise<OpValue<'rescue'>> {
  const { live, catalog, groups } = context
  const { now } = context.session
  const condition = `status = 'processing' AND lease_until <= $1 ORDER BY lease_until LIMIT $2`
  const ended = await groups.tryLockOf(await findLive(context, 'ended', condition, [now, op.limit]))
  for (const job of ended) live.apply(job, rescueJob(job, catalog.effective(job.type), now))
  live.flush()
  return { rescued: ended.length, more: ended.length === op.limit }
}

export async function renewLeases(context: CommitContext): Promise<OpValue<'renewLeases'>> {
  const { live, catalog } = context
  const { now } = context.session
  const held = await findLive(context, 'held', `status = 'processing' ORDER BY seq`, [])
  for (const job of held) {
    const settings = catalog.effective(job.type)
    const leaseMs = leaseMsOf(job, null, settings)
    live.extend(job, renewedLeaseEnd(job, leaseMs, settings, now), leaseMs)
  }
  live.flush()
  return { renewed: held.length }
}

function findExpired(context: CommitContext, limit: number): Promise<readonly LiveRow[]> {
  const condition = `${CAN_EXPIRE} AND expires_at <= $1 ORDER BY expires_at LIMIT $2`
  return findLive(context, 'expired', condition, [context.session.now, limit])
}

/** Flushes first: the search must see the decisions of this commit. */
async function findLive(
  { session, live }: CommitContext,
  name: string,
  condition: string,
  values: readonly unknown[],
): Promise<readonly LiveRow[]> {
  live.flush()
  const text = `SELECT ${LIVE.list} FROM millrace_jobs WHERE ${condition} FOR UPDATE SKIP LOCKED`
  return live.keep(await session.rows<LiveRecord>(name, text, values))
}

/** Not min(): with statistics of a queue that was empty, it reads all entries of the index instead of the first. */
export const NEXT_RUN_AT = `(SELECT run_at FROM millrace_jobs WHERE ${IS_WAITING} ORDER BY run_at LIMIT 1)`
export const NEXT_EXPIRY_AT = `(SELECT expires_at FROM millrace_jobs WHERE ${CAN_EXPIRE} ORDER BY expires_at LIMIT 1)`
/** When the next key hands on without an event. */
export const NEXT_WAKE_AT =
  '(SELECT wake_at FROM millrace_job_groups WHERE wake_at IS NOT NULL ORDER BY wake_at LIMIT 1)'
const LEASE_AT = `SELECT min(lease_until) AS at FROM millrace_jobs WHERE status = 'processing'`

export async function dueTimes(queryable: NamedQueryable, trust: ClockTrust): Promise<DueTimes> {
  const lease = instant(queryable, 'lease-at', LEASE_AT)
  const [promoteAt, leaseAt] = await Promise.all([promoteAtOf(queryable, trust), lease])
  return { promoteAt, leaseAt }
}

/** When the next job becomes due or expires: the first entries of two indexes. */
export function promoteAtOf(queryable: NamedQueryable, trust: ClockTrust): Promise<number | null> {
  // While expiry waits for a trusted clock, its time must not set the timer, which would fire again and again.
  return trust.isSure
    ? instant(queryable, 'promote-at', `SELECT least(${NEXT_RUN_AT}, ${NEXT_WAKE_AT}, ${NEXT_EXPIRY_AT}) AS at`)
    : instant(queryable, 'run-at', `SELECT least(${NEXT_RUN_AT}, ${NEXT_WAKE_AT}) AS at`)
}

async function instant(queryable: NamedQueryable, name: string, text: string): Promise<number | null> {
  const { rows } = await queryable.query<{ readonly at: number | null }>({ name, text })
  return rows[0]?.at ?? null
}

export function earliest(one: number | null, other: number | null): number | null {
  return one === null || other === null ? (one ?? other) : Math.min(one, other)
}
