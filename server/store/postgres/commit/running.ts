/** Calls of a worker while it runs a job: heartbeat, progress, log lines; each fenced by version. */
import { limits } from '../../../../shared/limits.ts'
import type { HeartbeatOutcome } from '../../../../shared/outcomes.ts'
import { isCurrent, requireCurrent } from '../../decisions/fence.ts'
import { extendedLeaseEnd, heartbeatOutcome, leaseMsOf } from '../../decisions/leases.ts'
import type { Lease, OpOf } from '../../ops.ts'
import type { LiveRow } from '../../rows/live-rows.ts'
import { columns } from '../connection/session.ts'
import type { CommitContext } from './context.ts'

export function heartbeat(context: CommitContext, op: OpOf<'heartbeat'>): HeartbeatOutcome {
  const draining = context.catalog.isDraining(op.worker)
  return heartbeatOutcome(op, draining, (lease) => extend(context, lease, op.leaseMs))
}

/** A lease that has ended can be extended until the job is claimed again: the version decides, not the clock. */
function extend(
  { session: { now }, live, ledger, catalog }: CommitContext,
  lease: Lease,
  requestedMs: number | null,
): LiveRow | undefined {
  const job = live.find(lease.id)
  if (!job || !isCurrent(job, lease.version)) return undefined
  const settings = catalog.effective(job.type)
  const leaseMs = leaseMsOf(job, requestedMs, settings)
  const until = extendedLeaseEnd(job, leaseMs, settings, now)
  if (until <= now) return undefined
  live.extend({ ...job, unconfirmedClaims: 0 }, until, leaseMs)
  ledger.leased(until)
  return job
}

export async function progress({ session, live, ledger }: CommitContext, op: OpOf<'progress'>): Promise<null> {
  const job = requireCurrent(live.find(op.id), op)
  live.confirm(job)
  await session.run('progress', 'UPDATE millrace_jobs SET progress = $1, updated_at = $2 WHERE seq = $3', [
    op.progress,
    session.now,
    job.seq,
  ])
  ledger.record({ id: job.id, type: job.type, from: job.status, to: job.status })
  return null
}

export async function log({ session, live, ledger }: CommitContext, op: OpOf<'log'>): Promise<null> {
  const job = requireCurrent(live.find(op.id), op)
  live.confirm(job)
  await session.run(
    'log',
    `WITH last AS (SELECT number FROM millrace_job_logs WHERE seq = $1 AND version = $2 ORDER BY id DESC LIMIT 1)
     INSERT INTO millrace_job_logs (seq, version, stream, at, line, number)
     SELECT $1, $2, stream, $3, line, CASE WHEN EXISTS (SELECT FROM last) THEN (SELECT number FROM last) ELSE 0 END + place
     FROM unnest($4::text[], $5::text[]) WITH ORDINALITY AS l (stream, line, place)
     ORDER BY place`,
    [job.seq, op.version, session.now, ...columns(op.lines, ({ stream, line }) => [stream, line])],
  )
  await session.run(
    'drop-lines',
    `DELETE FROM millrace_job_logs WHERE seq = $1 AND version = $2 AND id <= (
       SELECT id FROM millrace_job_logs WHERE seq = $1 AND version = $2 ORDER BY id DESC LIMIT 1 OFFSET ${limits.logLinesPerAttempt})`,
    [job.seq, op.version],
  )
  ledger.record({ id: job.id, type: job.type, from: job.status, to: job.status })
  return null
}
