/** Transitions caused by time: delayed jobs become due, jobs expire, leases expire (rescue). */
import { expireJob, rescueJob } from '../../../../shared/lifecycle.ts'
import type { Status } from '../../../../shared/status.ts'
import type { ClockTrust } from '../../clock-trust.ts'
import type { JobGroup } from '../../decisions/group-of-job.ts'
import { leaseMsOf, renewedLeaseEnd } from '../../decisions/leases.ts'
import type { OpOf, OpValue } from '../../ops.ts'
import { LIVE, type LiveTuple, liveFromTuple } from '../../rows/live-rows.ts'
import { columnsOf, type Row, type RowOf } from '../../rows/tables.ts'
import type { DueTimes } from '../../store.ts'
import type { Catalog } from '../claims/catalog.ts'
import type { Client } from '../connection/open.ts'
import type { FullKeys } from './groups/full-keys.ts'
import { type Groups, groupOfRow } from './groups/groups.ts'
import type { Ledger } from './ledger.ts'
import type { LiveJobs } from './live-jobs.ts'

/** Must be spelt exactly like the conditions of the partial indexes, or SQLite does not use them. */
const IS_WAITING = `status IN ('scheduled', 'retrying')`
const CAN_EXPIRE = 'expires_at IS NOT NULL AND finished_at IS NULL AND lease_until IS NULL'

const DUE = columnsOf('jobs', ['seq', 'id', 'type', 'status', 'version', 'groupName', 'groupKey'])
type DueJob = RowOf<typeof DUE>

type Instant<Key extends 'runAt' | 'expiresAt' | 'leaseUntil'> = Row<'jobs'>[Key] | null

export interface DueOptions {
  readonly client: Client
  readonly live: LiveJobs
  readonly ledger: Ledger
  readonly groups: Groups
  readonly fullKeys: FullKeys
  readonly catalog: Catalog
  readonly trust: ClockTrust
}

export class Due {
  private readonly live: LiveJobs
  private readonly ledger: Ledger
  private readonly groups: Groups
  private readonly fullKeys: FullKeys
  private readonly catalog: Catalog
  private readonly trust: ClockTrust
  private readonly statements

  constructor({ client, live, ledger, groups, fullKeys, catalog, trust }: DueOptions) {
    this.live = live
    this.ledger = ledger
    this.groups = groups
    this.fullKeys = fullKeys
    this.catalog = catalog
    this.trust = trust
    this.statements = {
      nextRun: client
        .prepare<[], Instant<'runAt'>>(`SELECT min(run_at) FROM millrace_jobs WHERE ${IS_WAITING}`)
        .pluck(),
      nextExpiry: client
        .prepare<[], Instant<'expiresAt'>>(`SELECT min(expires_at) FROM millrace_jobs WHERE ${CAN_EXPIRE}`)
        .pluck(),
      nextLease: client
        .prepare<[], Instant<'leaseUntil'>>(`SELECT min(lease_until) FROM millrace_jobs WHERE status = 'processing'`)
        .pluck(),
      dueRuns: client.prepare<[now: number, limit: number], DueJob>(
        `SELECT ${DUE.list} FROM millrace_jobs WHERE ${IS_WAITING} AND run_at <= ? ORDER BY run_at LIMIT ?`,
      ),
      isWaiting: client
        .prepare<[seq: number], 1>(`SELECT 1 FROM millrace_jobs WHERE seq = ? AND ${IS_WAITING}`)
        .pluck(),
      promote: client.prepare(`UPDATE millrace_jobs SET status = ?, updated_at = ? WHERE seq = ? AND ${IS_WAITING}`),
      expired: client
        .prepare<[now: number, limit: number], LiveTuple>(
          `SELECT ${LIVE.names} FROM millrace_jobs WHERE ${CAN_EXPIRE} AND expires_at <= ? ORDER BY expires_at LIMIT ?`,
        )
        .raw(),
      ended: client
        .prepare<[now: number, limit: number], LiveTuple>(
          `SELECT ${LIVE.names} FROM millrace_jobs WHERE status = 'processing' AND lease_until <= ? ORDER BY lease_until LIMIT ?`,
        )
        .raw(),
      held: client.prepare<[], LiveTuple>(`SELECT ${LIVE.names} FROM millrace_jobs WHERE status = 'processing'`).raw(),
      renew: client.prepare(
        `UPDATE millrace_jobs SET lease_until = ? WHERE seq = ? AND status = 'processing' AND version = ?`,
      ),
    }
  }

  times(): DueTimes {
    return { promoteAt: this.promoteAt(), leaseAt: this.statements.nextLease.get() ?? null }
  }

  /** When the next waiting job becomes due or expires, or a key may hand on. */
  promoteAt(): number | null {
    const run = earlier(this.statements.nextRun.get() ?? null, this.groups.rows.nextWake())
    // While expiry waits for a trusted clock, its time must not set the timer, which would fire again and again.
    const expiry = this.trust.isSure ? (this.statements.nextExpiry.get() ?? null) : null
    return earlier(run, expiry)
  }

  promote(op: OpOf<'promote'>, now: number): OpValue<'promote'> {
    const expired = this.trust.isSure ? this.statements.expired.all(now, op.limit) : []
    for (const row of expired) {
      const job = liveFromTuple(row)
      this.live.apply(job, expireJob(job, now), now)
    }
    const due = this.statements.dueRuns.all(now, op.limit)
    for (const job of due) this.promoteOne(job, now)
    const isWaking = this.groups.wake(now, op.limit)
    return { more: due.length === op.limit || expired.length === op.limit || isWaking }
  }

  private promoteOne(job: DueJob, now: number): void {
    const group = groupOfRow(job)
    // A job of its key that became due before may have replaced it.
    if (group !== null && !this.statements.isWaiting.get(job.seq)) return
    const to = group === null ? 'pending' : this.statusOfDue(group, job, now)
    if (to === 'cancelled') return
    this.statements.promote.run(to, now, job.seq)
    this.ledger.record({ id: job.id, type: job.type, from: job.status, to })
    if (group !== null) this.groups.moved(group, { seq: job.seq, from: job.status, to }, now)
  }

  /** A job that has never run meets the policy of its group now, when it could run. */
  private statusOfDue(group: JobGroup, job: DueJob, now: number): Status {
    if (job.version === 0) return this.fullKeys.promote(group, job, now)
    return this.groups.returning(group, { seq: job.seq, from: job.status }, now)
  }

  rescue(op: OpOf<'rescue'>, now: number): OpValue<'rescue'> {
    const ended = this.statements.ended.all(now, op.limit)
    for (const row of ended) {
      const job = liveFromTuple(row)
      this.live.apply(job, rescueJob(job, this.catalog.effective(job.type), now), now)
    }
    return { rescued: ended.length, more: ended.length === op.limit }
  }

  renewLeases(now: number): OpValue<'renewLeases'> {
    const held = this.statements.held.all()
    for (const row of held) {
      const job = liveFromTuple(row)
      const settings = this.catalog.effective(job.type)
      const end = renewedLeaseEnd(job, leaseMsOf(job, null, settings), settings, now)
      this.statements.renew.run(end, job.seq, job.version)
    }
    return { renewed: held.length }
  }
}

function earlier(one: number | null, other: number | null): number | null {
  if (one === null) return other
  return other === null ? one : Math.min(one, other)
}
