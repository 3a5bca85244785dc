/** Local deadlines of held leases: reports a lease that the queue has not confirmed in time. */

import type { ClaimedJob } from '../../../shared/job.ts'
import type { ClaimTiming } from '../../../shared/outcomes.ts'
import type { Clock, Timer } from '../../base/clock.ts'
import { type Lease, LeaseSet } from './lease-set.ts'

const MARGIN = 0.1
const MIN_MARGIN_MS = 250

/**
 * Time after the last confirmation at which a handler is aborted: the lease minus a margin of 10 %, at least 250 ms. The
 * margin covers the abort itself and clock drift.
 */
export function abortAfterMs(leaseMs: number): number {
  return leaseMs - Math.max(leaseMs * MARGIN, MIN_MARGIN_MS)
}

/** A monotonic time not later than the start of a lease, computed without comparing the clocks of client and server. */
export function leaseStart({ startedAt }: Pick<ClaimedJob, 'startedAt'>, sentAt: number, timing: ClaimTiming): number {
  return sentAt + timing.elapsedMs - Math.max(0, timing.now - startedAt)
}

interface Held extends Lease {
  /** Monotonic send time (not response time) of the last confirmed claim or heartbeat. */
  readonly confirmedAt: number
  readonly isReported: boolean
}

export interface LeaseDeadlinesOptions {
  readonly clock: Clock
  /** null: no deadline, for an embedded queue. */
  readonly afterMs: number | null
  /** Each lease is reported once; it stays held, because the queue may still confirm it. */
  readonly onExpired: (leases: readonly Lease[]) => void
}

export class LeaseDeadlines {
  private readonly options: LeaseDeadlinesOptions
  private readonly leases = new LeaseSet<Held>()
  private timer: Timer | null = null
  private dueAt = Number.POSITIVE_INFINITY

  constructor(options: LeaseDeadlinesOptions) {
    this.options = options
  }

  hold({ id, version }: Lease, confirmedAt: number): void {
    this.leases.add({ id, version, confirmedAt, isReported: false })
    this.arm(confirmedAt)
  }

  /** Leaves the timer: when it fires too early, it finds nothing due and is armed again. */
  confirm(lease: Lease, at: number): void {
    const held = this.leases.get(lease)
    if (held && held.confirmedAt < at) this.leases.add({ ...held, confirmedAt: at })
  }

  drop(lease: Lease): void {
    this.leases.delete(lease)
  }

  values(): readonly Held[] {
    return this.leases.values()
  }

  superseded(): readonly Lease[] {
    return this.leases.superseded()
  }

  stop(): void {
    this.timer?.cancel()
    this.timer = null
    this.dueAt = Number.POSITIVE_INFINITY
  }

  private arm(confirmedAt: number): void {
    const { clock, afterMs } = this.options
    if (afterMs === null || confirmedAt + afterMs >= this.dueAt) return
    this.timer?.cancel()
    this.dueAt = confirmedAt + afterMs
    this.timer = clock.after(Math.max(0, this.dueAt - clock.monotonic()), () => this.check(afterMs))
  }

  private check(afterMs: number): void {
    this.stop()
    const now = this.options.clock.monotonic()
    const open = this.leases.values().filter(({ isReported }) => !isReported)
    const expired = open.filter(({ confirmedAt }) => confirmedAt + afterMs <= now)
    for (const held of expired) this.leases.add({ ...held, isReported: true })
    for (const { confirmedAt } of open) if (confirmedAt + afterMs > now) this.arm(confirmedAt)
    if (expired.length > 0) this.options.onExpired(expired.map(({ id, version }) => ({ id, version })))
  }
}
