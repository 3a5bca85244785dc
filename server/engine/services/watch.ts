/** Notices other processes' commits, while somebody waits for them. */
import type { Clock, Timer } from '../../base/clock.ts'
import type { Store } from '../../store/store.ts'

type Watched = Pick<Store, 'pollMs' | 'changedElsewhere'>

export class Watch {
  private readonly store: Watched
  private readonly clock: Clock
  private readonly noticed: () => Promise<void>
  private readonly onError: (error: unknown) => void
  private timer: Timer | null = null
  private looking: Promise<void> | null = null
  private wanted = false

  constructor(store: Watched, clock: Clock, noticed: () => Promise<void>, onError: (error: unknown) => void) {
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

  /** Looks no more, and lets the look under way finish: it asks the store, which must be open until then. */
  async stop(): Promise<void> {
    this.want(false)
    await this.looking
  }

  /** Somebody says that there is something to see. */
  hinted(): void {
    if (!this.wanted || this.looking) return
    this.timer?.cancel()
    this.look()
  }

  private arm(): void {
    this.timer = this.clock.after(this.store.pollMs, () => this.look())
  }

  private look(): void {
    this.timer = null
    this.looking = this.ask().then(() => {
      this.looking = null
      if (this.wanted) this.arm()
    })
  }

  private async ask(): Promise<void> {
    try {
      if (await this.store.changedElsewhere()) await this.noticed()
    } catch (error) {
      this.onError(error)
    }
  }
}
