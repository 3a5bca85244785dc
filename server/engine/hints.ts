/** Tells other nodes that something happened, soon and not too often: the first time at once, then once per tenth of a second. */
import type { Clock, Timer } from '../clock.ts'
import type { Commit, Store } from '../store/store.ts'

const EVERY_MS = 100

export class Hints {
  private readonly store: Store
  private readonly clock: Clock
  private readonly onError: (error: unknown) => void
  private timer: Timer | null = null
  private isNews = false

  constructor(store: Store, clock: Clock, onError: (error: unknown) => void) {
    this.store = store
    this.clock = clock
    this.onError = onError
  }

  committed(commit: Commit): void {
    if (!this.store.hint || (commit.changes.length === 0 && commit.ready.size === 0)) return
    this.isNews = true
    if (!this.timer) this.send()
  }

  stop(): void {
    this.timer?.cancel()
    this.timer = null
  }

  private send(): void {
    this.timer = null
    if (!this.isNews) return
    this.isNews = false
    // A hint that is lost costs the others one poll.
    this.store.hint?.().catch(this.onError)
    this.timer = this.clock.after(EVERY_MS, () => this.send())
  }
}
