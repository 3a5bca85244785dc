/** The cleaner: applies retention in small chunks between other commits, and frees disk space. */
import { DAY, HOUR, MINUTE } from '../../../shared/limits.ts'
import { TERMINAL_STATUSES } from '../../../shared/status.ts'
import type { Clock } from '../../base/clock.ts'
import type { Store } from '../../store/store.ts'
import type { GroupCommit } from '../commit/group-commit.ts'
import type { StoreTime } from '../commit/store-time.ts'
import { type Clocks, DueTimer } from './due-timer.ts'
import { ADMIT_CHUNK } from './group-admitter.ts'
import type { Service } from './service.ts'

const CHUNK = 250
const EVERY_MS = MINUTE
const FIRST_RUN_MS = 5_000
/** Failure groups cover a week, charts a day. */
const MINUTES_KEPT_MS = 8 * DAY
/** A day of charts, plus the rows that their first minute depends on. */
const DEPTHS_KEPT_MS = DAY + HOUR
const WORKERS_KEPT_MS = DAY
const AUDIT_KEPT_MS = 90 * DAY

export class Cleaner implements Service {
  private readonly store: Store
  private readonly commits: GroupCommit
  private readonly clock: Clock
  private readonly time: StoreTime
  private readonly timer: DueTimer
  private stopping = false
  private nextAt = 0

  constructor(store: Store, commits: GroupCommit, clocks: Clocks, onError: (error: unknown) => void) {
    this.store = store
    this.commits = commits
    this.clock = clocks.clock
    this.time = clocks.time
    this.timer = new DueTimer(clocks, () => this.clean(), onError)
  }

  start(): void {
    this.stopping = false
    if (this.timer.start()) this.timer.armIn(FIRST_RUN_MS)
  }

  async stop(): Promise<void> {
    this.stopping = true
    await this.timer.stop()
  }

  private async clean(): Promise<number> {
    // The timer fires at least every MAX_HOP_MS, possibly before a run is due.
    if (this.clock.monotonic() < this.nextAt) return this.time.now() + this.nextAt - this.clock.monotonic()
    await this.repeat(() =>
      this.commits.submit<'cleanup'>({
        kind: 'cleanup',
        status: TERMINAL_STATUSES,
        olderThanMs: null,
        type: null,
        limit: CHUNK,
        upkeep: true,
      }),
    )
    await this.repeat(() =>
      this.commits.submit<'trim'>({
        kind: 'trim',
        minutesOlderThanMs: MINUTES_KEPT_MS,
        depthsOlderThanMs: DEPTHS_KEPT_MS,
        workersOlderThanMs: WORKERS_KEPT_MS,
        auditOlderThanMs: AUDIT_KEPT_MS,
        limit: CHUNK,
      }),
    )
    // Keys that nothing else has looked at since their rules changed.
    await this.repeat(() => this.commits.submit<'admitBlocked'>({ kind: 'admitBlocked', limit: ADMIT_CHUNK }))
    await this.repeat(() => this.store.maintain())
    this.nextAt = this.clock.monotonic() + EVERY_MS
    return this.time.now() + EVERY_MS
  }

  /** Yields to the event loop between steps, so that other commits are not delayed. */
  private async repeat(step: () => Promise<{ readonly more: boolean }>): Promise<void> {
    while (!this.stopping && (await step()).more) await new Promise(setImmediate)
  }
}
