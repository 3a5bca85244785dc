/** Takes back jobs whose lease ended; after an outage of ours every lease first gets one free period. */
import { QueueError } from '../../../shared/errors.ts'
import type { Clock } from '../../base/clock.ts'
import type { Store } from '../../store/store.ts'
import type { GroupCommit } from '../commit/group-commit.ts'
import type { StoreTime } from '../commit/store-time.ts'
import { type Clocks, DueTimer } from './due-timer.ts'
import type { Service } from './service.ts'

const CHUNK = 200
/** While the database is out of reach. */
const RETRY_MS = 250
/** Later or further off than this, heartbeats may have been lost through our fault. */
const TOLERANCE_MS = 1_000

export class Rescuer implements Service {
  private readonly commits: GroupCommit
  private readonly clock: Clock
  private readonly time: StoreTime
  private readonly timer: DueTimer
  private readonly onWarning: (message: string) => void
  /** Why every lease is owed a free period, if it is. */
  private owed: string | null = null
  private blockedSince: number | null = null
  private seen: { wall: number; monotonic: number } | null = null

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
        if (lateMs > TOLERANCE_MS) this.owed = 'the event loop was stalled'
        else if (this.clockJumped()) this.owed = 'the clock jumped'
        const done = await this.rescue()
        return done ? (await store.nextDue()).leaseAt : this.time.now() + RETRY_MS
      },
      onError,
    )
  }

  start(): void {
    if (!this.timer.start()) return
    this.owed = 'upkeep has just started'
    this.clockJumped()
    this.timer.armIn(0)
  }

  stop(): Promise<void> {
    return this.timer.stop()
  }

  dueAt(at: number | null): void {
    this.timer.armAt(at)
  }

  /** The database was out of reach: heartbeats could not be written. */
  recovered(outageMs: number): void {
    if (outageMs <= TOLERANCE_MS) return
    this.owed = 'the database was out of reach'
    this.timer.armIn(0)
  }

  /** false when the database is out of reach; nothing of it is queued up, since what is owed may change meanwhile. */
  private async rescue(): Promise<boolean> {
    if (this.blockedSince !== null && this.clock.monotonic() - this.blockedSince > TOLERANCE_MS) {
      this.owed = 'the database was out of reach'
    }
    try {
      if (this.owed !== null) await this.commits.submit<'renewLeases'>({ kind: 'renewLeases' }, true)
      this.owed = null
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

  /** Wall and monotonic time must agree on how long it has been since the last look. */
  private clockJumped(): boolean {
    const seen = this.seen
    const now = { wall: this.clock.now(), monotonic: this.clock.monotonic() }
    this.seen = now
    return seen !== null && Math.abs(now.wall - seen.wall - (now.monotonic - seen.monotonic)) > TOLERANCE_MS
  }
}
