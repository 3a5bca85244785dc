/** Notifications to other nodes about commits: the first at once, then at most one per 100 ms. */
import type { Clock, Timer } from '../../base/clock.ts'
import type { Commit, Store } from '../../store/store.ts'

const EVERY_MS = 100

export class Hints {
  private readonly store: Store
  private readonly clock: Clock
  private readonly onError: (error: unknown) => void
  private timer: Timer | null = null
  private lastAt = Number.NEGATIVE_INFINITY

  constructor(store: Store, clock: Clock, onError: (error: unknown) => void) {
    this.store = store
    this.clock = clock
    this.onError = onError
  }

  committed(commit: Commit): void {
    if (!this.store.hint || this.timer || (commit.changes.length === 0 && commit.ready.size === 0)) return
    const waitMs = this.lastAt + EVERY_MS - this.clock.monotonic()
    if (waitMs <= 0) this.send()
    else this.timer = this.clock.after(waitMs, () => this.send())
  }

  stop(): void {
    this.timer?.cancel()
    this.timer = null
  }

  private send(): void {
    this.timer = null
    this.lastAt = this.clock.monotonic()
    // If a notification is lost, other nodes notice the commit at their next poll.
    this.store.hint?.().catch(this.onError)
  }
}
