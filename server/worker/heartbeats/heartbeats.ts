/** Heartbeats: one call extends all held leases; the response reports lost leases, cancellations and drains. */

import { limits } from '../../../shared/limits.ts'
import type { Queue } from '../../../shared/queue.ts'
import { REPORT_EVERY_MS } from '../../../shared/stats/worker-liveness.ts'
import type { Clock, Timer } from '../../base/clock.ts'
import { AttemptTimeouts } from './attempt-timeouts.ts'
import { LeaseDeadlines } from './lease-deadlines.ts'
import { type Lease, LeaseSet } from './lease-set.ts'
import type { HeldLease } from './shared-leases.ts'

export interface HeartbeatReport {
  readonly lost: readonly Lease[]
  readonly cancelled: readonly Lease[]
  /** An operator drains this worker: it finishes its jobs and claims no more. */
  readonly draining: boolean
  /** Not confirmed in time: another worker may soon claim these jobs. */
  readonly expired: readonly Lease[]
  /** Extended by the call that was sent at `confirmedAt` (monotonic time). */
  readonly confirmed: readonly Lease[]
  readonly confirmedAt: number
  /** The first response after failed heartbeats: open calls may be on dead connections. */
  readonly isRecovery: boolean
}

export const EMPTY_REPORT: HeartbeatReport = {
  lost: [],
  cancelled: [],
  draining: false,
  expired: [],
  confirmed: [],
  confirmedAt: 0,
  isRecovery: false,
}

export interface Heartbeats {
  /** Jobs are claimed only afterwards, because no lease is extended before. */
  readonly ready: Promise<void>
  /** `confirmedAt`: a monotonic time not later than the start of the lease. `timeoutMs` counts from it. */
  hold(lease: Lease, confirmedAt: number, timeoutMs?: number | null): void
  /** Holds the lease of a job that was claimed in advance, until `take`. False: this lease cannot wait. */
  wait(lease: Lease, confirmedAt: number): boolean
  /** Takes a waiting lease over for the start of its job. False: it was released, so the job must not start. */
  take(lease: Lease): boolean
  drop(lease: Lease): void
  stop(): Promise<void>
}

export interface HeartbeatOptions {
  readonly queue: Pick<Queue, 'heartbeat' | 'fail'>
  readonly worker: string
  readonly leaseMs: number
  /** Interval of the heartbeats, with or without leases. */
  readonly beatMs: number
  /** When a lease without confirmation is reported as expired; null: never. */
  readonly abortAfterMs: number | null
  readonly clock: Clock
  readonly onHeartbeat: (report: HeartbeatReport) => void
  readonly onError: (error: unknown) => void
  /** More held leases, read at each heartbeat: several are sent per lease. */
  readonly sharedLeases?: () => readonly HeldLease[]
}

const BEATS_PER_LEASE = 3
/** Retries of a failed call before the leases expire. */
const RETRIES_PER_LEASE = 10
/** A call without a response is repeated after this time on another connection, to find a working one quickly. */
const PROBE_MS = 500
/** Upper bound for the timeout of one call. */
const MAX_TIMEOUT_MS = 10_000

/** Interval of heartbeats: at most a third of the lease, and short enough that the worker counts as online. */
export function heartbeatIntervalMs(leaseMs: number, requestedMs = REPORT_EVERY_MS): number {
  return Math.min(requestedMs, leaseMs / BEATS_PER_LEASE)
}

export class HeartbeatLoop implements Heartbeats {
  readonly ready = Promise.resolve()
  private readonly options: HeartbeatOptions
  private readonly leases: LeaseDeadlines
  private readonly timeouts: AttemptTimeouts
  /** Leases that were taken over from `sharedLeases`. */
  private readonly shared = new LeaseSet()
  private readonly inFlight = new Set<Promise<void>>()
  /** Calls without a response yet, oldest first. */
  private readonly unanswered = new Set<AbortController>()
  private timer: Timer | null = null
  private isStopped = false
  /** Failed calls since the last response. */
  private failures = 0
  private reportedAt = 0
  /** Send time of the newest call that has a response. */
  private latestSentAt = Number.NEGATIVE_INFINITY

  constructor(options: HeartbeatOptions) {
    this.options = options
    const { clock, abortAfterMs, queue, onError } = options
    this.timeouts = new AttemptTimeouts({ queue, clock, onError })
    this.leases = new LeaseDeadlines({
      clock,
      afterMs: abortAfterMs,
      onExpired: (expired) => this.report({ expired }),
    })
    this.beatIn(options.beatMs)
  }

  /** `startedAt`: the start of `timeoutMs`, for a lease that was confirmed again since. */
  hold(lease: Lease, confirmedAt: number, timeoutMs: number | null = null, startedAt = confirmedAt): void {
    this.leases.hold(lease, confirmedAt)
    if (timeoutMs !== null) this.timeouts.hold(lease, startedAt, timeoutMs)
  }

  /** This loop and the handlers share a thread, so only the timer of the worker releases waiting leases. */
  wait(lease: Lease, confirmedAt: number): boolean {
    this.hold(lease, confirmedAt)
    return true
  }

  take(): boolean {
    return true
  }

  drop(lease: Lease): void {
    this.leases.drop(lease)
    this.timeouts.drop(lease)
  }

  async stop(): Promise<void> {
    this.isStopped = true
    this.timer?.cancel()
    this.leases.stop()
    this.timeouts.stop()
    for (const call of this.unanswered) call.abort()
    await Promise.all(this.inFlight)
  }

  private beatIn(delayMs: number): void {
    if (this.isStopped) return
    this.timer?.cancel()
    this.timer = this.options.clock.after(delayMs, () => {
      const beat = this.beat().finally(() => this.inFlight.delete(beat))
      this.inFlight.add(beat)
      this.beatIn(PROBE_MS)
    })
  }

  /** Also sent without leases, because the response carries a drain request. */
  private async beat(): Promise<void> {
    const { leaseMs, beatMs, clock } = this.options
    const sentAt = clock.monotonic()
    this.takeSharedLeases()
    this.dropSuperseded()
    const leases = this.leases.values().map(({ id, version }) => ({ id, version }))
    try {
      for (let from = 0; from === 0 || from < leases.length; from += limits.leases) {
        await this.extend(leases.slice(from, from + limits.leases))
      }
      this.beatIn(beatMs)
    } catch (error) {
      // A later call has succeeded meanwhile: nothing to report, and the next heartbeat is scheduled.
      if (sentAt < this.latestSentAt) return
      this.failed(error)
      this.beatIn(Math.min(PROBE_MS, leaseMs / RETRIES_PER_LEASE))
    }
  }

  private async extend(leases: Lease[]): Promise<void> {
    const { queue, worker, leaseMs, clock } = this.options
    const sentAt = clock.monotonic()
    const call = new AbortController()
    const response = await this.withTimeout(call, queue.heartbeat({ worker, leaseMs, leases }, { signal: call.signal }))
    const isRecovery = this.abortOlderCalls(call) || this.failures > 0
    this.failures = 0
    this.latestSentAt = Math.max(this.latestSentAt, sentAt)
    const among = (ids: readonly string[]) => {
      const named = new Set(ids)
      return leases.filter(({ id }) => named.has(id))
    }
    const [lost, cancelled] = [among(response.lost), among(response.cancelled)]
    const confirmed = [...among(response.extended), ...cancelled]
    for (const lease of lost) this.drop(lease)
    for (const lease of confirmed) this.leases.confirm(lease, sentAt)
    this.report({ lost, cancelled, draining: response.draining, confirmed, confirmedAt: sentAt, isRecovery })
  }

  private takeSharedLeases(): void {
    const leases = this.options.sharedLeases?.() ?? []
    const current = new LeaseSet()
    for (const { id, version, confirmedAt } of leases) {
      const lease = { id, version }
      current.add(lease)
      if (this.shared.get(lease)) continue
      this.shared.add(lease)
      this.leases.hold(lease, confirmedAt)
    }
    for (const lease of this.shared.values()) {
      if (current.get(lease)) continue
      this.shared.delete(lease)
      this.leases.drop(lease)
    }
  }

  /** Responses identify leases by job id, so one call must not contain two versions of a job. */
  private dropSuperseded(): void {
    const lost = this.leases.superseded()
    if (lost.length === 0) return
    for (const lease of lost) this.drop(lease)
    this.report({ lost })
  }

  private report(report: Partial<HeartbeatReport>): void {
    if (!this.isStopped) this.options.onHeartbeat({ ...EMPTY_REPORT, ...report })
  }

  /** During an outage calls fail twice a second. One error per third of the lease is reported. */
  private failed(error: unknown): void {
    const { clock, leaseMs, onError } = this.options
    if (this.isStopped) return
    this.failures += 1
    const now = clock.monotonic()
    if (this.failures > 1 && now - this.reportedAt < leaseMs / BEATS_PER_LEASE) return
    this.reportedAt = now
    onError(error)
  }

  /** Earlier calls without a response are on dead connections: aborts them and returns whether there were any. */
  private abortOlderCalls(newer: AbortController): boolean {
    let count = 0
    for (const call of this.unanswered) {
      if (call === newer) break
      call.abort()
      count += 1
    }
    return count > 0
  }

  /** A connection that drops packets never delivers a response. The abort closes it. */
  private async withTimeout<Response>(call: AbortController, response: Promise<Response>): Promise<Response> {
    const { clock, leaseMs } = this.options
    const timeoutMs = Math.min(MAX_TIMEOUT_MS, leaseMs / BEATS_PER_LEASE)
    const timer = clock.after(timeoutMs, () => call.abort())
    this.unanswered.add(call)
    try {
      return await new Promise<Response>((resolve, reject) => {
        call.signal.addEventListener('abort', () =>
          reject(new Error(`No response to a heartbeat within ${Math.round(timeoutMs)} ms.`)),
        )
        response.then(resolve, reject)
      })
    } finally {
      timer.cancel()
      this.unanswered.delete(call)
    }
  }
}
