/** Calls of a worker while it runs a job: heartbeat, progress, log lines; each fenced by version. */
import { limits } from '../../../../shared/limits.ts'
import type { HeartbeatOutcome } from '../../../../shared/outcomes.ts'
import { requireCurrent } from '../../decisions/fence.ts'
import { extendedLeaseEnd, heartbeatOutcome, leaseMsOf } from '../../decisions/leases.ts'
import type { Lease, OpOf } from '../../ops.ts'
import type { LiveRow } from '../../rows/live-rows.ts'
import type { Row } from '../../rows/tables.ts'
import type { Catalog } from '../claims/catalog.ts'
import type { Client } from '../connection/open.ts'
import type { Ledger } from './ledger.ts'
import type { LiveJobs } from './live-jobs.ts'

export class Running {
  private readonly live: LiveJobs
  private readonly ledger: Ledger
  private readonly catalog: Catalog
  private readonly extendLease
  private readonly writeProgress
  private readonly lastNumber
  private readonly confirm
  private readonly insertLine
  private readonly dropOldLines

  constructor(client: Client, live: LiveJobs, ledger: Ledger, catalog: Catalog) {
    this.live = live
    this.ledger = ledger
    this.catalog = catalog
    this.extendLease = client.prepare(
      `UPDATE millrace_jobs SET lease_until = ?, lease_ms = ?, updated_at = ?, unconfirmed_claims = 0
       WHERE seq = ? AND status = 'processing' AND version = ?`,
    )
    this.writeProgress = client.prepare(
      `UPDATE millrace_jobs SET progress = ?, updated_at = ?, unconfirmed_claims = 0
       WHERE seq = ? AND status = 'processing' AND version = ?`,
    )
    this.lastNumber = client.prepare<[seq: number, version: number], Row<'jobLogs', 'number'>>(
      'SELECT number FROM millrace_job_logs WHERE seq = ? AND version = ? ORDER BY id DESC LIMIT 1',
    )
    this.insertLine = client.prepare(
      'INSERT INTO millrace_job_logs (seq, version, stream, at, line, number) VALUES (?, ?, ?, ?, ?, ?)',
    )
    this.confirm = client.prepare('UPDATE millrace_jobs SET unconfirmed_claims = 0 WHERE seq = ?')
    this.dropOldLines = client.prepare(
      `DELETE FROM millrace_job_logs WHERE seq = ? AND version = ? AND id <= (
         SELECT id FROM millrace_job_logs WHERE seq = ? AND version = ? ORDER BY id DESC LIMIT 1 OFFSET ${limits.logLinesPerAttempt})`,
    )
  }

  heartbeat(op: OpOf<'heartbeat'>, now: number): HeartbeatOutcome {
    return heartbeatOutcome(op, this.catalog.isDraining(op.worker), (lease) => this.extend(lease, op.leaseMs, now))
  }

  /** A lease that has ended can be extended until the job is claimed again: the version decides, not the clock. */
  private extend(lease: Lease, requestedMs: number | null, now: number): LiveRow | undefined {
    const job = this.live.find(lease.id)
    if (!job) return undefined
    const settings = this.catalog.effective(job.type)
    const leaseMs = leaseMsOf(job, requestedMs, settings)
    const until = extendedLeaseEnd(job, leaseMs, settings, now)
    if (until <= now) return undefined
    return this.extendLease.run(until, leaseMs, now, job.seq, lease.version).changes === 1 ? job : undefined
  }

  progress(op: OpOf<'progress'>, now: number): null {
    const job = requireCurrent(this.live.find(op.id), op)
    this.writeProgress.run(op.progress, now, job.seq, op.version)
    this.ledger.record({ id: job.id, type: job.type, from: job.status, to: job.status })
    return null
  }

  log(op: OpOf<'log'>, now: number): null {
    const job = requireCurrent(this.live.find(op.id), op)
    if (job.unconfirmedClaims > 0) this.confirm.run(job.seq)
    const last = this.lastNumber.get(job.seq, op.version) ?? { number: 0 }
    op.lines.forEach(({ stream, line }, place) => {
      const number = last.number === null ? null : last.number + place + 1
      this.insertLine.run(job.seq, op.version, stream, now, line, number)
    })
    this.dropOldLines.run(job.seq, op.version, job.seq, op.version)
    this.ledger.record({ id: job.id, type: job.type, from: job.status, to: job.status })
    return null
  }
}
