/**
 * Jobs that a worker claimed in advance (`prefetch`) and that wait for a free slot. Only short jobs are worth it: their number is
 * limited by the time that handlers took lately, and a job that has waited too long is released for other workers. The heartbeat thread
 * releases it while a handler blocks this thread.
 */

import type { ClaimedJob } from '../../../shared/job.ts'
import { MINUTE } from '../../../shared/limits.ts'
import type { Clock, Timer } from '../../base/clock.ts'
import type { HeartbeatReport } from '../heartbeats/heartbeats.ts'
import { MAX_WAIT_MS } from '../heartbeats/late-releases.ts'
import type { Lease } from '../heartbeats/lease-set.ts'
import type { LeasedJob } from './job-starter.ts'

/** Jobs are claimed in advance when the slots are expected to start them within this time. */
const START_WITHIN_MS = 20
/** Nothing is claimed in advance for so long after a job that may not wait: such jobs would be claimed and released in a loop. */
const PAUSE_MS = MINUTE
/** Weight of the newest handler in the mean. */
const NEWEST = 0.2

export interface JobsAheadOptions {
  readonly prefetch: number
  readonly concurrency: number
  readonly clock: Clock
  /** Holds the lease of a waiting job. False: it cannot wait. */
  readonly wait: (leased: LeasedJob) => boolean
  /** Takes over the lease of a waiting job that starts. False: it was released. */
  readonly take: (job: ClaimedJob) => boolean
  readonly release: (job: ClaimedJob) => void
  readonly lost: (job: ClaimedJob) => void
}

export class JobsAhead {
  private readonly options: JobsAheadOptions
  private waiting: { readonly leased: LeasedJob; readonly since: number }[] = []
  private meanRunMs: number | null = null
  /** Jobs have waited too long, and no handler has returned since. */
  private isBlocked = false
  private pausedUntil = Number.NEGATIVE_INFINITY
  private timer: Timer | null = null

  constructor(options: JobsAheadOptions) {
    this.options = options
  }

  get size(): number {
    return this.waiting.length
  }

  /** How many jobs may wait; 0 until the first handler has returned, while the slots are blocked, and after a job that may not wait. */
  get limit(): number {
    const { prefetch, concurrency, clock } = this.options
    if (prefetch === 0 || this.meanRunMs === null || this.isBlocked) return 0
    if (clock.monotonic() < this.pausedUntil) return 0
    return Math.min(prefetch, Math.floor((concurrency * START_WITHIN_MS) / Math.max(this.meanRunMs, 0.01)))
  }

  /** A handler took `runMs`. */
  observe(runMs: number): void {
    this.isBlocked = false
    this.meanRunMs = this.meanRunMs === null ? runMs : this.meanRunMs + NEWEST * (runMs - this.meanRunMs)
  }

  /** False: this job may not wait, and nothing more is claimed in advance for a minute. */
  add(leased: LeasedJob): boolean {
    const { prefetch, clock, wait } = this.options
    if (prefetch === 0 || !mayWait(leased.job) || !wait(leased)) {
      this.pausedUntil = clock.monotonic() + PAUSE_MS
      return false
    }
    this.waiting.push({ leased, since: clock.monotonic() })
    this.timer ??= clock.after(MAX_WAIT_MS, () => this.releaseLate())
    return true
  }

  /** Removes and returns the job that has waited longest. Those that have waited too long are released. */
  take(): LeasedJob | undefined {
    const { clock, take, release } = this.options
    for (let next = this.waiting.shift(); next; next = this.waiting.shift()) {
      const { leased, since } = next
      // The thread may have failed to release it, and its lease may have ended.
      const isLate = clock.monotonic() - since >= MAX_WAIT_MS
      if (!isLate && take(leased.job)) return leased
      // Also when the thread has released it: its call may have failed, and repeating it changes nothing.
      release(leased.job)
    }
    return undefined
  }

  releaseAll(): void {
    this.timer?.cancel()
    this.timer = null
    for (const { leased } of this.waiting.splice(0)) this.options.release(leased.job)
  }

  /** Removes jobs that a heartbeat reports as lost, cancelled or unconfirmed. */
  removeReported({ lost, cancelled, expired }: HeartbeatReport): void {
    this.remove((job) => lost.some(isLeaseOf(job)), this.options.lost)
    this.remove((job) => [...cancelled, ...expired].some(isLeaseOf(job)), this.options.release)
  }

  /** A newer claim proves that the older lease is lost. */
  removeSuperseded(jobs: readonly ClaimedJob[]): void {
    this.remove((job) => jobs.some(({ id, version }) => id === job.id && version > job.version), this.options.lost)
  }

  private remove(isRemoved: (job: ClaimedJob) => boolean, then: (job: ClaimedJob) => void): void {
    if (this.waiting.length === 0) return
    const removed = this.waiting.filter(({ leased }) => isRemoved(leased.job))
    this.waiting = this.waiting.filter((one) => !removed.includes(one))
    for (const { leased } of removed) then(leased.job)
  }

  private releaseLate(): void {
    this.timer = null
    const { clock, release } = this.options
    const now = clock.monotonic()
    const late = this.waiting.filter(({ since }) => now - since >= MAX_WAIT_MS)
    this.waiting = this.waiting.filter((one) => !late.includes(one))
    if (late.length > 0) this.isBlocked = true
    for (const { leased } of late) release(leased.job)
    const [first] = this.waiting
    if (first) this.timer = clock.after(first.since + MAX_WAIT_MS - now, () => this.releaseLate())
  }
}

/**
 * A timeout counts from the claim. When the process dies, waiting jobs lose their attempt and get a crash: a job must survive that.
 */
function mayWait({ timeoutMs, attempts, maxAttempts, crashes }: ClaimedJob): boolean {
  return timeoutMs === null && attempts < maxAttempts && crashes === 0
}

function isLeaseOf(job: ClaimedJob): (lease: Lease) => boolean {
  return ({ id, version }) => id === job.id && version === job.version
}
