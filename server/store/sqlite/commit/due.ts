/** What time does to jobs: promotion, expiry, the end of leases. */
import { deadlineMs, expireJob, leaseEnd, rescueJob } from '../../../../shared/lifecycle.ts'
import type { Status } from '../../../../shared/status.ts'
import type { ClockTrust } from '../../clock-trust.ts'
import type { OpOf, OpValue } from '../../ops.ts'
import type { DueTimes } from '../../store.ts'
import type { Catalog } from '../claims/catalog.ts'
import type { Client } from '../connection/open.ts'
import type { Ledger } from './ledger.ts'
import { LIVE_COLUMNS, type LiveJobs, type LiveTuple, toLive } from './live-jobs.ts'

/** The conditions of the partial indexes, word for word, so that SQLite uses them. */
const WAITS = `status IN ('scheduled', 'retrying')`
const CAN_EXPIRE = 'expires_at IS NOT NULL AND finished_at IS NULL AND lease_until IS NULL'

export class Due {
  private readonly live: LiveJobs
  private readonly ledger: Ledger
  private readonly catalog: Catalog
  private readonly trust: ClockTrust
  private readonly statements

  constructor(client: Client, live: LiveJobs, ledger: Ledger, catalog: Catalog, trust: ClockTrust) {
    this.trust = trust
    this.live = live
    this.ledger = ledger
    this.catalog = catalog
    this.statements = {
      nextRun: client.prepare<[], number | null>(`SELECT min(run_at) FROM millrace_jobs WHERE ${WAITS}`).pluck(),
      nextExpiry: client
        .prepare<[], number | null>(`SELECT min(expires_at) FROM millrace_jobs WHERE ${CAN_EXPIRE}`)
        .pluck(),
      nextLease: client
        .prepare<[], number | null>(`SELECT min(lease_until) FROM millrace_jobs WHERE status = 'processing'`)
        .pluck(),
      dueRuns: client.prepare<[number, number], { seq: number; id: string; type: string; status: Status }>(
        `SELECT seq, id, type, status FROM millrace_jobs WHERE ${WAITS} AND run_at <= ? ORDER BY run_at LIMIT ?`,
      ),
      promote: client.prepare(`UPDATE millrace_jobs SET status = 'pending', updated_at = ? WHERE seq = ? AND ${WAITS}`),
      expired: client
        .prepare<[number, number], LiveTuple>(
          `SELECT ${LIVE_COLUMNS} FROM millrace_jobs WHERE ${CAN_EXPIRE} AND expires_at <= ? ORDER BY expires_at LIMIT ?`,
        )
        .raw(),
      ended: client
        .prepare<[number, number], LiveTuple>(
          `SELECT ${LIVE_COLUMNS} FROM millrace_jobs WHERE status = 'processing' AND lease_until <= ? ORDER BY lease_until LIMIT ?`,
        )
        .raw(),
      held: client
        .prepare<[], LiveTuple>(`SELECT ${LIVE_COLUMNS} FROM millrace_jobs WHERE status = 'processing'`)
        .raw(),
      renew: client.prepare(
        `UPDATE millrace_jobs SET lease_until = ? WHERE seq = ? AND status = 'processing' AND version = ?`,
      ),
    }
  }

  times(): DueTimes {
    const run = this.statements.nextRun.get() ?? null
    // Where expiry waits for the clock, no timer may wait for expiry: it would fire over and over.
    const expiry = this.trust.isSure ? (this.statements.nextExpiry.get() ?? null) : null
    const promoteAt = run === null ? expiry : expiry === null ? run : Math.min(run, expiry)
    return { promoteAt, leaseAt: this.statements.nextLease.get() ?? null }
  }

  promote(op: OpOf<'promote'>, now: number): OpValue<'promote'> {
    const expired = this.trust.isSure ? this.statements.expired.all(now, op.limit) : []
    for (const row of expired) {
      const job = toLive(row)
      this.live.apply(job, expireJob(job, now), now)
    }
    const due = this.statements.dueRuns.all(now, op.limit)
    for (const job of due) {
      this.statements.promote.run(now, job.seq)
      this.ledger.record({ id: job.id, type: job.type, from: job.status, to: 'pending' })
    }
    return { more: due.length === op.limit || expired.length === op.limit }
  }

  rescue(op: OpOf<'rescue'>, now: number): OpValue<'rescue'> {
    const ended = this.statements.ended.all(now, op.limit)
    for (const row of ended) {
      const job = toLive(row)
      this.live.apply(job, rescueJob(job, this.catalog.effective(job.type), now), now)
    }
    return { rescued: ended.length, more: ended.length === op.limit }
  }

  /**
   * Both ways: a clock that jumped back has left leases that would end far too late. A deadline that has passed
   * gives way once: in an outage longer than the timeout every job without heartbeats would otherwise be burned.
   */
  renewLeases(now: number): OpValue<'renewLeases'> {
    const held = this.statements.held.all()
    for (const row of held) {
      const job = toLive(row)
      const settings = this.catalog.effective(job.type)
      const leaseMs = job.leaseMs ?? settings.leaseMs
      const end = leaseEnd(now, leaseMs, Math.min(job.startedAt ?? now, now), deadlineMs(job, settings))
      this.statements.renew.run(end > now ? end : now + leaseMs, job.seq, job.version)
    }
    return { renewed: held.length }
  }
}
