/** What time does to jobs: promotion, expiry, the end of leases. Rows that others hold are left to them. */
import { deadlineMs, expireJob, leaseEnd, rescueJob } from '../../../../shared/lifecycle.ts'
import type { Status } from '../../../../shared/status.ts'
import type { ClockTrust } from '../../clock-trust.ts'
import type { OpOf, OpValue } from '../../ops.ts'
import type { DueTimes } from '../../store.ts'
import type { Catalog } from '../claims/catalog.ts'
import type { Queryable } from '../connection/open.ts'
import type { Session } from '../connection/session.ts'
import type { Ledger } from './ledger.ts'
import { LIVE_COLUMNS, type LiveJobs } from './live-jobs.ts'

/** The conditions of the partial indexes, word for word, so that PostgreSQL uses them. */
const WAITS = `status IN ('scheduled', 'retrying')`
const CAN_EXPIRE = `expires_at IS NOT NULL AND finished_at IS NULL AND status <> 'processing'`

type LiveRecords = Parameters<LiveJobs['keep']>[0]

export class Due {
  private readonly session: Session
  private readonly live: LiveJobs
  private readonly ledger: Ledger
  private readonly catalog: Catalog
  private readonly trust: ClockTrust

  constructor(session: Session, live: LiveJobs, ledger: Ledger, catalog: Catalog, trust: ClockTrust) {
    this.trust = trust
    this.session = session
    this.live = live
    this.ledger = ledger
    this.catalog = catalog
  }

  async promote(op: OpOf<'promote'>): Promise<OpValue<'promote'>> {
    const expired = this.trust.isSure ? await this.expired(op.limit) : []
    for (const job of expired) this.live.apply(job, expireJob(job, this.session.now))
    this.live.flush()
    const due = await this.session.rows<{ id: string; type: string; status: Status }>(
      'promote',
      `WITH due AS (SELECT seq, status FROM millrace_jobs WHERE ${WAITS} AND run_at <= $1 ORDER BY run_at LIMIT $2 FOR UPDATE SKIP LOCKED)
       UPDATE millrace_jobs SET status = 'pending', updated_at = $1 FROM due WHERE millrace_jobs.seq = due.seq
       RETURNING millrace_jobs.id, millrace_jobs.type, due.status`,
      [this.session.now, op.limit],
    )
    for (const { id, type, status } of due) this.ledger.record({ id, type, from: status, to: 'pending' })
    return { more: due.length === op.limit || expired.length === op.limit }
  }

  private expired(limit: number) {
    const condition = `${CAN_EXPIRE} AND expires_at <= $1 ORDER BY expires_at LIMIT $2`
    return this.find('expired', condition, [this.session.now, limit])
  }

  async rescue(op: OpOf<'rescue'>): Promise<OpValue<'rescue'>> {
    const { now } = this.session
    const ended = await this.find(
      'ended',
      `status = 'processing' AND lease_until <= $1 ORDER BY lease_until LIMIT $2`,
      [now, op.limit],
    )
    for (const job of ended) this.live.apply(job, rescueJob(job, this.catalog.effective(job.type), now))
    this.live.flush()
    return { rescued: ended.length, more: ended.length === op.limit }
  }

  /**
   * Both ways: a clock that jumped back has left leases that would end far too late. A deadline that has passed
   * gives way once: in an outage longer than the timeout every job without heartbeats would otherwise be burned.
   */
  async renewLeases(): Promise<OpValue<'renewLeases'>> {
    const { now } = this.session
    const held = await this.find('held', `status = 'processing' ORDER BY seq`, [])
    for (const job of held) {
      const settings = this.catalog.effective(job.type)
      const leaseMs = job.leaseMs ?? settings.leaseMs
      const end = leaseEnd(now, leaseMs, Math.min(job.startedAt ?? now, now), deadlineMs(job, settings))
      this.live.extend(job, end > now ? end : now + leaseMs, leaseMs)
    }
    this.live.flush()
    return { renewed: held.length }
  }

  /** What this commit has decided already must be in the table when it is searched. */
  private async find(name: string, condition: string, values: readonly unknown[]) {
    this.live.flush()
    const text = `SELECT ${LIVE_COLUMNS} FROM millrace_jobs WHERE ${condition} FOR UPDATE SKIP LOCKED`
    const records: LiveRecords = await this.session.rows(name, text, values)
    return this.live.keep(records)
  }
}

/** Not min(), which statistics of a queue that was empty let read all entries of the index instead of the first. */
const RUN_AT = `SELECT run_at AS at FROM millrace_jobs WHERE ${WAITS} ORDER BY run_at LIMIT 1`
const PROMOTE_AT = `SELECT least((SELECT run_at FROM millrace_jobs WHERE ${WAITS} ORDER BY run_at LIMIT 1),
  (SELECT expires_at FROM millrace_jobs WHERE ${CAN_EXPIRE} ORDER BY expires_at LIMIT 1)) AS at`
const LEASE_AT = `SELECT min(lease_until) AS at FROM millrace_jobs WHERE status = 'processing'`

export async function dueTimes(queryable: Queryable, trust: ClockTrust): Promise<DueTimes> {
  const lease = instant(queryable, 'lease-at', LEASE_AT)
  const [promoteAt, leaseAt] = await Promise.all([promoteAtOf(queryable, trust), lease])
  return { promoteAt, leaseAt }
}

/** When time next makes a job ready, or expires one: the first entries of two indexes. */
export function promoteAtOf(queryable: Queryable, trust: ClockTrust): Promise<number | null> {
  // Where expiry waits for the clock, no timer may wait for expiry: it would fire over and over.
  return trust.isSure ? instant(queryable, 'promote-at', PROMOTE_AT) : instant(queryable, 'run-at', RUN_AT)
}

async function instant(queryable: Queryable, name: string, text: string): Promise<number | null> {
  const { rows } = await queryable.query<{ at: number | null }>({ name, text })
  return rows[0]?.at ?? null
}
