/** Heartbeats: one call extends the leases of all running jobs, and its response reports losses, cancels and drains. */
import { limits } from '../../../shared/limits.ts'
import { REPORT_EVERY_MS } from '../../../shared/worker-reports.ts'
import type { Clock, Timer } from '../../base/clock.ts'
import type { Queue } from '../../queue/queue.ts'
import { AttemptTimeouts } from './attempt-timeouts.ts'
import { LeaseDeadlines } from './lease-deadlines.ts'
import type { Lease } from './lease-set.ts'

export interface Pulse {
  readonly lost: readonly Lease[]
  readonly cancelled: readonly Lease[]
  /** An operator wants this worker to finish what it has and take no more. */
  readonly draining: boolean
  /** Not confirmed in time: another worker may soon hold these jobs. */
  readonly expired: readonly Lease[]
  /** Extended by a call that was sent at `confirmedAt`, in monotonic time. */
  readonly confirmed: readonly Lease[]
  readonly confirmedAt: number
  /** The first response after heartbeats that failed: calls that still wait may be on dead connections. */
  readonly isRecovery: boolean
}

export const EMPTY_PULSE: Pulse = {
  lost: [],
  cancelled: [],
  draining: false,
  expired: [],
  confirmed: [],
  confirmedAt: 0,
  isRecovery: false,
}

export interface Heartbeats {
  /** Jobs are claimed only afterwards: until then no lease would be extended. */
  readonly ready: Promise<void>
  /** `confirmedAt`: a monotonic time that is not later than the start of the lease. `timeoutMs` counts from it. */
  hold(lease: Lease, confirmedAt: number, timeoutMs?: number | null): void
  drop(lease: Lease): void
  stop(): Promise<void>
}

export interface HeartbeatParts {
  readonly queue: Pick<Queue, 'heartbeat' | 'fail'>
  readonly worker: string
  readonly leaseMs: number
  /** How often, with or without leases. */
  readonly beatMs: number
  /** When a lease without confirmation is reported as expired; null: never. */
  readonly abortAfterMs: number | null
  readonly clock: Clock
  readonly onPulse: (pulse: Pulse) => void
  readonly onError: (error: unknown) => void
}

const BEATS_PER_LEASE = 3
/** After a call that failed: there is time for a few before the leases end. */
const RETRIES_PER_LEASE = 10
/** A call without a response is repeated this soon, on another connection: a connection that works again is found at once. */
const PROBE_MS = 500
/** How long one call may take, whatever the lease. */
const MAX_PATIENCE_MS = 10_000

/** Often enough for the leases, and no less often than asked: with a long lease, often enough to be shown as reporting. */
export function beatEveryMs(leaseMs: number, askedMs = REPORT_EVERY_MS): number {
  return Math.min(askedMs, leaseMs / BEATS_PER_LEASE)
}

export class HeartbeatLoop implements Heartbeats {
  readonly ready = Promise.resolve()
  private readonly parts: HeartbeatParts
  private readonly leases: LeaseDeadlines
  private readonly timeouts: AttemptTimeouts
  private readonly underWay = new Set<Promise<void>>()
  /** Calls without a response yet, oldest first. */
  private readonly unanswered = new Set<AbortController>()
  private timer: Timer | null = null
  private isStopped = false
  /** Since the last response. */
  private failures = 0
  private reportedAt = 0
  /** When the newest call that was answered had been sent. */
  private answeredSentAt = Number.NEGATIVE_INFINITY

  constructor(parts: HeartbeatParts) {
    this.parts = parts
    const { clock, abortAfterMs, queue, onError } = parts
    this.timeouts = new AttemptTimeouts({ queue, clock, onError })
    this.leases = new LeaseDeadlines({
      clock,
      afterMs: abortAfterMs,
      onExpired: (expired) => this.report({ expired }),
    })
    this.beatIn(parts.beatMs)
  }

  /** `startedAt`: what `timeoutMs` counts from, for a lease that was confirmed again since. */
  hold(lease: Lease, confirmedAt: number, timeoutMs: number | null = null, startedAt = confirmedAt): void {
    this.leases.hold(lease, confirmedAt)
    if (timeoutMs !== null) this.timeouts.hold(lease, startedAt, timeoutMs)
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
    await Promise.all(this.underWay)
  }

  private beatIn(delayMs: number): void {
    if (this.isStopped) return
    this.timer?.cancel()
    this.timer = this.parts.clock.after(delayMs, () => {
      const beat = this.beat().finally(() => this.underWay.delete(beat))
      this.underWay.add(beat)
      this.beatIn(PROBE_MS)
    })
  }

  /** Sent without leases as well: a worker that has nothing to do may be drained too. */
  private async beat(): Promise<void> {
    const { leaseMs, beatMs, clock } = this.parts
    const sentAt = clock.monotonic()
    this.dropSuperseded()
    const leases = this.leases.values().map(({ id, version }) => ({ id, version }))
    try {
      for (let from = 0; from === 0 || from < leases.length; from += limits.leases) {
        await this.extend(leases.slice(from, from + limits.leases))
      }
      this.beatIn(beatMs)
    } catch (error) {
      // A later call was answered meanwhile: there is nothing to report, and the next beat is planned.
      if (sentAt < this.answeredSentAt) return
      this.failed(error)
      this.beatIn(Math.min(PROBE_MS, leaseMs / RETRIES_PER_LEASE))
    }
  }

  private async extend(leases: Lease[]): Promise<void> {
    const { queue, worker, leaseMs, clock } = this.parts
    const sentAt = clock.monotonic()
    const call = new AbortController()
    const answer = await this.inTime(call, queue.heartbeat({ worker, leaseMs, leases }, { signal: call.signal }))
    const isRecovery = this.hasOvertaken(call) || this.failures > 0
    this.failures = 0
    this.answeredSentAt = Math.max(this.answeredSentAt, sentAt)
    const among = (ids: readonly string[]) => {
      const named = new Set(ids)
      return leases.filter(({ id }) => named.has(id))
    }
    const [lost, cancelled] = [among(answer.lost), among(answer.cancelled)]
    const confirmed = [...among(answer.extended), ...cancelled]
    for (const lease of lost) this.drop(lease)
    for (const lease of confirmed) this.leases.confirm(lease, sentAt)
    this.report({ lost, cancelled, draining: answer.draining, confirmed, confirmedAt: sentAt, isRecovery })
  }

  /** Responses name leases by job id, so a call never carries two versions of one job. */
  private dropSuperseded(): void {
    const lost = this.leases.superseded()
    if (lost.length === 0) return
    for (const lease of lost) this.drop(lease)
    this.report({ lost })
  }

  private report(pulse: Partial<Pulse>): void {
    if (!this.isStopped) this.parts.onPulse({ ...EMPTY_PULSE, ...pulse })
  }

  /** In an outage calls fail twice a second; one in a third of the lease is reported. */
  private failed(error: unknown): void {
    const { clock, leaseMs, onError } = this.parts
    if (this.isStopped) return
    this.failures += 1
    const now = clock.monotonic()
    if (this.failures > 1 && now - this.reportedAt < leaseMs / BEATS_PER_LEASE) return
    this.reportedAt = now
    onError(error)
  }

  /** Calls sent earlier that have no response are on dead connections: closes these. */
  private hasOvertaken(answered: AbortController): boolean {
    let count = 0
    for (const call of this.unanswered) {
      if (call === answered) break
      call.abort()
      count += 1
    }
    return count > 0
  }

  /** On a connection that drops packets no response ever arrives; giving up closes it. */
  private async inTime<Answer>(call: AbortController, answer: Promise<Answer>): Promise<Answer> {
    const { clock, leaseMs } = this.parts
    const patienceMs = Math.min(MAX_PATIENCE_MS, leaseMs / BEATS_PER_LEASE)
    const patience = clock.after(patienceMs, () => call.abort())
    this.unanswered.add(call)
    try {
      return await new Promise<Answer>((resolve, reject) => {
        call.signal.addEventListener('abort', () =>
          reject(new Error(`The queue did not answer a heartbeat within ${Math.round(patienceMs)} ms.`)),
        )
        answer.then(resolve, reject)
      })
    } finally {
      patience.cancel()
      this.unanswered.delete(call)
    }
  }
}
