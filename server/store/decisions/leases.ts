/** Decisions about leases that both stores share: heartbeats and renewal after an outage. */
import { deadlineMs, leaseEnd } from '../../../shared/lease-end.ts'
import type { LiveJob } from '../../../shared/lifecycle.ts'
import type { HeartbeatOutcome } from '../../../shared/outcomes.ts'
import type { EffectiveSettings } from '../../../shared/settings/settings.ts'
import type { Lease, OpOf } from '../ops.ts'

type Leased = Pick<LiveJob, 'leaseMs' | 'startedAt' | 'timeoutMs'>

/** Lease duration: from this call, else the claim, else the type. */
export function leaseMsOf(job: Leased, requestedMs: number | null, settings: EffectiveSettings): number {
  return requestedMs ?? job.leaseMs ?? settings.leaseMs
}

/** When an extended lease ends. Not after `now`: the attempt is past its deadline, and the lease must not be extended. */
export function extendedLeaseEnd(job: Leased, leaseMs: number, settings: EffectiveSettings, now: number): number {
  return leaseEnd(now, leaseMs, job.startedAt ?? now, deadlineMs(job, settings))
}

/**
 * When a renewed lease ends, which may be earlier or later than before: after the clock jumped back, old leases would end far too late.
 * A deadline that has passed is extended once; otherwise an outage longer than the timeout would cost every job without
 * heartbeats an attempt.
 */
export function renewedLeaseEnd(job: Leased, leaseMs: number, settings: EffectiveSettings, now: number): number {
  const end = leaseEnd(now, leaseMs, Math.min(job.startedAt ?? now, now), deadlineMs(job, settings))
  return end > now ? end : now + leaseMs
}

/** `extend` returns the job whose lease it extended, or undefined where the lease is lost. */
export function heartbeatOutcome(
  op: OpOf<'heartbeat'>,
  draining: boolean,
  extend: (lease: Lease) => Pick<LiveJob, 'cancelRequestedAt'> | undefined,
): HeartbeatOutcome {
  const extended: string[] = []
  const lost: string[] = []
  const cancelled: string[] = []
  for (const lease of op.leases) {
    const job = extend(lease)
    if (!job) lost.push(lease.id)
    else if (job.cancelRequestedAt !== null) cancelled.push(lease.id)
    else extended.push(lease.id)
  }
  return { extended, lost, cancelled, draining }
}
