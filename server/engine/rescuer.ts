/** Takes back jobs whose lease ended; after an outage of ours every lease first gets one free period. */
import type { Clock } from '../clock.ts'
import type { Store } from '../store/store.ts'
import { DueTimer } from './due-timer.ts'
import type { GroupCommit } from './group-commit.ts'
import type { Service } from './service.ts'

const CHUNK = 200
/** Later or further off than this, heartbeats may have been lost through our fault. */
const TOLERANCE_MS = 1_000

export class Rescuer implements Service {
  private readonly commits: GroupCommit
  private readonly clock: Clock
  private readonly timer: DueTimer
  private owed: string | null = null
  private seen: { wall: number; monotonic: number } | null = null

  constructor(store: Store, commits: GroupCommit, clock: Clock, onError: (error: unknown) => void) {
    this.commits = commits
    this.clock = clock
    this.timer = new DueTimer(
      clock,
      async ({ lateMs }) => {
        if (lateMs > TOLERANCE_MS) this.owed = 'the event loop was stalled'
        else if (this.clockJumped()) this.owed = 'the clock jumped'
        await this.rescue()
        return (await store.nextDue()).leaseAt
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

  private async rescue(): Promise<void> {
    if (this.owed !== null) {
      await this.commits.submit<'renewLeases'>({ kind: 'renewLeases', reason: this.owed })
      this.owed = null
    }
    while ((await this.commits.submit<'rescue'>({ kind: 'rescue', limit: CHUNK })).more);
  }

  /** Wall and monotonic time must agree on how long it has been since the last look. */
  private clockJumped(): boolean {
    const seen = this.seen
    const now = { wall: this.clock.now(), monotonic: this.clock.monotonic() }
    this.seen = now
    return seen !== null && Math.abs(now.wall - seen.wall - (now.monotonic - seen.monotonic)) > TOLERANCE_MS
  }
}
