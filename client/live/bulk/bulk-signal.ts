/** Wake-up signal for a poll loop: a signal sent while the loop is busy ends its next wait at once. */

export class WakeSignal {
  private isSet = false
  private wake: (() => void) | null = null

  /** A signal was sent since the last wait. */
  get isPending(): boolean {
    return this.isSet
  }

  send(): void {
    this.isSet = true
    this.wake?.()
  }

  /** Resolves at the next signal, or after `ms`. */
  async wait(ms: number): Promise<void> {
    if (!this.isSet) {
      await new Promise<void>((resolve) => {
        const timer = setTimeout(resolve, ms)
        this.wake = () => {
          clearTimeout(timer)
          resolve()
        }
      })
    }
    this.isSet = false
    this.wake = null
  }
}
