/** Polling for commits of other processes, while there are waiting calls or event listeners. */
import type { Clock, Timer } from '../../base/clock.ts'
import type { Store } from '../../store/store.ts'

type Watched = Pick<Store, 'pollMs' | 'changedElsewhere'>

export class Watch {
  private readonly store: Watched
  private readonly clock: Clock
  private readonly onChange: () => Promise<void>
  private readonly onError: (error: unknown) => void
  private timer: Timer | null = null
  private polling: Promise<void> | null = null
  private active = false

  constructor(store: Watched, clock: Clock, onChange: () => Promise<void>, onError: (error: unknown) => void) {
    this.store = store
    this.clock = clock
    this.onChange = onChange
    this.onError = onError
  }

  setActive(active: boolean): void {
    this.active = active
    if (!active) {
      this.timer?.cancel()
      this.timer = null
    } else if (!this.timer && !this.polling) this.arm()
  }

  /** Stops polling and waits for a pending poll, which needs an open store. */
  async stop(): Promise<void> {
    this.setActive(false)
    await this.polling
  }

  /** Polls at once, after a notification from another node. */
  pollNow(): void {
    if (!this.active || this.polling) return
    this.timer?.cancel()
    this.poll()
  }

  private arm(): void {
    this.timer = this.clock.after(this.store.pollMs, () => this.poll())
  }

  private poll(): void {
    this.timer = null
    this.polling = this.check().then(() => {
      this.polling = null
      if (this.active) this.arm()
    })
  }

  private async check(): Promise<void> {
    try {
      if (await this.store.changedElsewhere()) await this.onChange()
    } catch (error) {
      this.onError(error)
    }
  }
}
