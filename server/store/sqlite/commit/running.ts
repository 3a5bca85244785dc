/** What a worker says while it runs a job: heartbeat, progress, log lines; each fenced by version. */
import { notFound, staleClaim } from '../../../../shared/errors.ts'
import { deadlineMs, leaseEnd } from '../../../../shared/lifecycle.ts'
import { limits } from '../../../../shared/limits.ts'
import type { HeartbeatOutcome, Lease, OpOf } from '../../ops.ts'
import type { Catalog } from '../claims/catalog.ts'
import type { Client } from '../connection/open.ts'
import type { Ledger } from './ledger.ts'
import type { LiveJobs, LiveRow } from './live-jobs.ts'

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
    this.lastNumber = client.prepare<[number, number], { number: number | null }>(
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
    const extended: string[] = []
    const lost: string[] = []
    const cancelled: string[] = []
    for (const lease of op.leases) {
      const job = this.live.find(lease.id)
      if (!job || !this.extend(job, lease, op.leaseMs, now)) lost.push(lease.id)
      else if (job.cancelRequestedAt !== null) cancelled.push(lease.id)
      else extended.push(lease.id)
    }
    return { extended, lost, cancelled, draining: this.catalog.isDraining(op.worker) }
  }

  /** A lease that has ended but was not taken over yet can still be extended: the token decides, not the clock. */
  private extend(job: LiveRow, lease: Lease, askedMs: number | null, now: number): boolean {
    const settings = this.catalog.effective(job.type)
    const leaseMs = askedMs ?? job.leaseMs ?? settings.leaseMs
    const until = leaseEnd(now, leaseMs, job.startedAt ?? now, deadlineMs(job, settings))
    if (until <= now) return false
    return this.extendLease.run(until, leaseMs, now, job.seq, lease.version).changes === 1
  }

  progress(op: OpOf<'progress'>, now: number): null {
    const job = this.held(op)
    this.writeProgress.run(op.progress, now, job.seq, op.version)
    this.ledger.record({ id: job.id, type: job.type, from: job.status, to: job.status })
    return null
  }

  log(op: OpOf<'log'>, now: number): null {
    const job = this.held(op)
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

  private held(lease: Lease): LiveRow {
    const job = this.live.find(lease.id)
    if (!job) throw notFound(lease.id)
    if (job.status !== 'processing' || job.version !== lease.version) throw staleClaim(lease.id, lease.version)
    return job
  }
}
