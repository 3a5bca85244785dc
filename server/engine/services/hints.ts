/** Tells other nodes that something happened, soon and not too often: the first time at once, then once per tenth of a second. */
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
    // A hint that is lost costs the others one poll.
    this.store.hint?.().catch(this.onError)
  }
}
