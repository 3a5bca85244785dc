/** What a worker says while it runs a job: heartbeat, progress, log lines; each fenced by version. */
import { notFound, staleClaim } from '../../../../shared/errors.ts'
import { deadlineMs, leaseEnd } from '../../../../shared/lifecycle.ts'
import { limits } from '../../../../shared/limits.ts'
import type { HeartbeatOutcome, Lease, OpOf } from '../../ops.ts'
import type { Catalog } from '../claims/catalog.ts'
import { columns, type Session } from '../connection/session.ts'
import type { Ledger } from './ledger.ts'
import type { LiveJobs, LiveRow } from './live-jobs.ts'

export class Running {
  private readonly session: Session
  private readonly live: LiveJobs
  private readonly ledger: Ledger
  private readonly catalog: Catalog

  constructor(session: Session, live: LiveJobs, ledger: Ledger, catalog: Catalog) {
    this.session = session
    this.live = live
    this.ledger = ledger
    this.catalog = catalog
  }

  heartbeat(op: OpOf<'heartbeat'>): HeartbeatOutcome {
    const extended: string[] = []
    const lost: string[] = []
    const cancelled: string[] = []
    for (const lease of op.leases) {
      const job = this.live.find(lease.id)
      if (!job || !this.extend(job, lease, op.leaseMs)) lost.push(lease.id)
      else if (job.cancelRequestedAt !== null) cancelled.push(lease.id)
      else extended.push(lease.id)
    }
    return { extended, lost, cancelled, draining: this.catalog.isDraining(op.worker) }
  }

  /** A lease that has ended but was not taken over yet can still be extended: the token decides, not the clock. */
  private extend(job: LiveRow, lease: Lease, askedMs: number | null): boolean {
    if (job.status !== 'processing' || job.version !== lease.version) return false
    const { now } = this.session
    const settings = this.catalog.effective(job.type)
    const leaseMs = askedMs ?? job.leaseMs ?? settings.leaseMs
    const until = leaseEnd(now, leaseMs, job.startedAt ?? now, deadlineMs(job, settings))
    if (until <= now) return false
    this.live.extend({ ...job, unconfirmedClaims: 0 }, until, leaseMs)
    this.ledger.leased(until)
    return true
  }

  async progress(op: OpOf<'progress'>): Promise<null> {
    const job = this.held(op)
    this.live.confirm(job)
    await this.session.run('progress', 'UPDATE millrace_jobs SET progress = $1, updated_at = $2 WHERE seq = $3', [
      op.progress,
      this.session.now,
      job.seq,
    ])
    this.ledger.record({ id: job.id, type: job.type, from: job.status, to: job.status })
    return null
  }

  async log(op: OpOf<'log'>): Promise<null> {
    const job = this.held(op)
    this.live.confirm(job)
    await this.session.run(
      'log',
      `WITH last AS (SELECT number FROM millrace_job_logs WHERE seq = $1 AND version = $2 ORDER BY id DESC LIMIT 1)
       INSERT INTO millrace_job_logs (seq, version, stream, at, line, number)
       SELECT $1, $2, stream, $3, line, CASE WHEN EXISTS (SELECT FROM last) THEN (SELECT number FROM last) ELSE 0 END + place
       FROM unnest($4::text[], $5::text[]) WITH ORDINALITY AS l (stream, line, place)
       ORDER BY place`,
      [job.seq, op.version, this.session.now, ...columns(op.lines, ({ stream, line }) => [stream, line])],
    )
    await this.session.run(
      'drop-lines',
      `DELETE FROM millrace_job_logs WHERE seq = $1 AND version = $2 AND id <= (
         SELECT id FROM millrace_job_logs WHERE seq = $1 AND version = $2 ORDER BY id DESC LIMIT 1 OFFSET ${limits.logLinesPerAttempt})`,
      [job.seq, op.version],
    )
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
