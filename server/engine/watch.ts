/** Notices other processes' commits, while somebody waits for them. */
import type { Clock, Timer } from '../clock.ts'
import type { Store } from '../store/store.ts'

export class Watch {
  private readonly store: Store
  private readonly clock: Clock
  private readonly noticed: () => Promise<void>
  private readonly onError: (error: unknown) => void
  private timer: Timer | null = null
  private looking = false
  private wanted = false

  constructor(store: Store, clock: Clock, noticed: () => Promise<void>, onError: (error: unknown) => void) {
    this.store = store
    this.clock = clock
    this.noticed = noticed
    this.onError = onError
  }

  want(wanted: boolean): void {
    this.wanted = wanted
    if (!wanted) {
      this.timer?.cancel()
      this.timer = null
    } else if (!this.timer && !this.looking) this.arm()
  }

  /** Somebody says that there is something to see. */
  hinted(): void {
    if (!this.wanted || this.looking) return
    this.timer?.cancel()
    void this.look()
  }

  private arm(): void {
    this.timer = this.clock.after(this.store.pollMs, () => void this.look())
  }

  private async look(): Promise<void> {
    this.timer = null
    this.looking = true
    try {
      if (await this.store.changedElsewhere()) await this.noticed()
    } catch (error) {
      this.onError(error)
    }
    this.looking = false
    if (this.wanted) this.arm()
  }
}
