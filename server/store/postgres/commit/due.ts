/** Transitions caused by time: delayed jobs become due, jobs expire, leases expire (rescue). Rows that other nodes have locked are skipped. */
import { expireJob, rescueJob } from '../../../../shared/lifecycle.ts'
import { leaseMsOf, renewedLeaseEnd } from '../../decisions/leases.ts'
import type { OpOf, OpValue } from '../../ops.ts'
import { GROUP, type GroupRecord } from '../../rows/group-rows.ts'
import { LIVE, type LiveRecord, type LiveRow } from '../../rows/live-rows.ts'
import type { Row } from '../../rows/tables.ts'
import type { CommitContext } from './context.ts'
import { CAN_EXPIRE, IS_WAITING } from './due-times.ts'
import { admitDue } from './groups/admit-due.ts'

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
  for (const job of jobs) {
    // A job of its key that became due before may have replaced it.
    if (live.find(job.id)?.status === job.status) await admitDue(context, job)
  }
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
