/** Leader election: a lease in the database decides which engine runs upkeep. */
import type { Clock } from '../../base/clock.ts'
import type { GroupCommit } from '../commit/group-commit.ts'
import type { StoreTime } from '../commit/store-time.ts'
import { type Clocks, DueTimer } from './due-timer.ts'
import type { Service } from './service.ts'

/** Lease of the leader: upkeep pauses this long when a leader crashes. */
const TTL_MS = 6_000
const RENEW_MS = 2_000
/** Without a renewal for this long, writes are considered stuck. */
const SILENT_MS = 10_000

export class Leadership implements Service {
  private readonly commits: GroupCommit
  private readonly clock: Clock
  private readonly time: StoreTime
  private readonly holder: string
  private readonly upkeep: readonly Service[]
  private takeOver: boolean
  private readonly timer: DueTimer
  private leading = false
  private sureUntil = Number.NEGATIVE_INFINITY
  private lastRunAt: number | null = null
  /** The same instant on the monotonic clock, for durations: the wall clock may be changed. */
  private lastRunMonotonic = 0

  constructor(
    commits: GroupCommit,
    clocks: Clocks,
    holder: string,
    upkeep: readonly Service[],
    takeOver: boolean,
    onError: (error: unknown) => void,
  ) {
    this.commits = commits
    this.clock = clocks.clock
    this.time = clocks.time
    this.holder = holder
    this.upkeep = upkeep
    this.takeOver = takeOver
    this.timer = new DueTimer(
      clocks,
      () => this.renew(),
      (error) => {
        void this.stepDownIfUnsure()
        onError(error)
      },
    )
  }

  get isLeader(): boolean {
    return this.leading
  }

  /** When the lease was last checked; wall clock. */
  get lastAnsweredAt(): number | null {
    return this.lastRunAt
  }

  /** True when the lease was checked before, but not within `SILENT_MS`. */
  get isSilent(): boolean {
    return this.lastRunAt !== null && this.clock.monotonic() - this.lastRunMonotonic > SILENT_MS
  }

  start(): void {
    if (this.timer.start()) this.timer.armIn(0)
  }

  async stop(): Promise<void> {
    await this.timer.stop()
    if (!this.leading) return
    await this.follow()
    await this.commits.submit<'resign'>({ kind: 'resign', holder: this.holder })
  }

  private async renew(): Promise<number> {
    const requestedAt = this.clock.monotonic()
    const { leads } = await this.commits.submit<'lead'>({
      kind: 'lead',
      holder: this.holder,
      ttlMs: TTL_MS,
      takeOver: this.takeOver,
    })
    this.takeOver = false
    this.lastRunAt = this.clock.now()
    this.lastRunMonotonic = this.clock.monotonic()
    if (leads) {
      this.sureUntil = requestedAt + TTL_MS
      this.leading = true
      // `start` is idempotent.
      for (const service of this.upkeep) service.start()
    } else {
      await this.follow()
    }
    return this.time.now() + RENEW_MS
  }

  private async stepDownIfUnsure(): Promise<void> {
    if (this.clock.monotonic() >= this.sureUntil) await this.follow()
  }

  private async follow(): Promise<void> {
    this.leading = false
    await Promise.all(this.upkeep.map((service) => service.stop()))
  }
}
