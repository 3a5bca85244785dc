/** Notices other processes' commits, while somebody waits for them. */
import type { Clock, Timer } from '../clock.ts'
import type { Store } from '../store/store.ts'

export class Watch {
  private readonly store: Store
  private readonly clock: Clock
  private readonly noticed: () => Promise<void>
  private readonly onError: (error: unknown) => void
  private timer: Timer | null = null
  private wanted = false

  constructor(store: Store, clock: Clock, noticed: () => Promise<void>, onError: (error: unknown) => void) {
    this.store = store
    this.clock = clock
    this.noticed = noticed
    this.onError = onError
  }

  want(wanted: boolean): void {
    this.wanted = wanted
    if (wanted && !this.timer) this.arm()
    if (!wanted) this.disarm()
  }

  private arm(): void {
    this.timer = this.clock.after(this.store.pollMs, () => void this.look())
  }

  private disarm(): void {
    this.timer?.cancel()
    this.timer = null
  }

  private async look(): Promise<void> {
    try {
      if (await this.store.changedElsewhere()) await this.noticed()
    } catch (error) {
      this.onError(error)
    }
    if (this.wanted) this.arm()
    else this.timer = null
  }
}
