/**
 * The rescuer: takes back jobs with expired leases. After an outage it first renews all leases once. The statements: commit/due.ts of
 * each store; the decision: rescueJob in shared/lifecycle.ts.
 */

import { QueueError } from '../../../shared/errors.ts'
import type { Clock } from '../../base/clock.ts'
import type { Store } from '../../store/store.ts'
import type { GroupCommit } from '../commit/group-commit.ts'
import type { StoreTime } from '../commit/store-time.ts'
import { type Clocks, DueTimer } from './due-timer.ts'
import type { Service } from './service.ts'

const CHUNK = 200
/** Retry interval while the database is unavailable. */
const RETRY_MS = 250
/** A longer stall, outage or clock jump may have prevented heartbeats, so leases are renewed before any rescue. */
const TOLERANCE_MS = 1_000

export class Rescuer implements Service {
  private readonly commits: GroupCommit
  private readonly clock: Clock
  private readonly time: StoreTime
  private readonly timer: DueTimer
  private readonly onWarning: (message: string) => void
  /** Why all leases must be renewed before the next rescue; null: not needed. */
  private renewReason: string | null = null
  private blockedSince: number | null = null
  private lastCheck: { wall: number; monotonic: number } | null = null

  constructor(
    store: Store,
    commits: GroupCommit,
    clocks: Clocks,
    onError: (error: unknown) => void,
    onWarning: (message: string) => void,
  ) {
    this.commits = commits
    this.onWarning = onWarning
    this.clock = clocks.clock
    this.time = clocks.time
    this.timer = new DueTimer(
      clocks,
      async ({ lateMs }) => {
        if (lateMs > TOLERANCE_MS) this.renewReason = 'the event loop was stalled'
        else if (this.clockJumped()) this.renewReason = 'the clock jumped'
        const done = await this.rescue()
        return done ? (await store.nextDue()).leaseAt : this.time.now() + RETRY_MS
      },
      onError,
    )
  }

  start(): void {
    if (!this.timer.start()) return
    this.renewReason = 'maintenance has just started'
    this.clockJumped()
    this.timer.armIn(0)
  }

  stop(): Promise<void> {
    return this.timer.stop()
  }

  dueAt(at: number | null): void {
    this.timer.armAt(at)
  }

  /** Call after an outage of the database, during which heartbeats could not be written. */
  recovered(outageMs: number): void {
    if (outageMs <= TOLERANCE_MS) return
    this.renewReason = 'the database was unavailable'
    this.timer.armIn(0)
  }

  /** Returns false when the database is unavailable. Writes fail fast, because the need to renew may change during the outage. */
  private async rescue(): Promise<boolean> {
    if (this.blockedSince !== null && this.clock.monotonic() - this.blockedSince > TOLERANCE_MS) {
      this.renewReason = 'the database was unavailable'
    }
    try {
      if (this.renewReason !== null) await this.commits.submit<'renewLeases'>({ kind: 'renewLeases' }, true)
      this.renewReason = null
      await this.rescueAll()
      this.blockedSince = null
      return true
    } catch (error) {
      if (!(error instanceof QueueError && error.code === 'BUSY')) throw error
      this.blockedSince ??= this.clock.monotonic()
      return false
    }
  }

  private async rescueAll(): Promise<void> {
    let recovered = 0
    try {
      while (this.timer.isActive) {
        const { rescued, more } = await this.commits.submit<'rescue'>({ kind: 'rescue', limit: CHUNK }, true)
        recovered += rescued
        if (!more) return
      }
    } finally {
      if (recovered > 0) this.onWarning(`Recovered ${recovered} stale tasks`)
    }
  }

  /** Compares wall time and monotonic time since the last check. */
  private clockJumped(): boolean {
    const last = this.lastCheck
    const now = { wall: this.clock.now(), monotonic: this.clock.monotonic() }
    this.lastCheck = now
    return last !== null && Math.abs(now.wall - last.wall - (now.monotonic - last.monotonic)) > TOLERANCE_MS
  }
}
