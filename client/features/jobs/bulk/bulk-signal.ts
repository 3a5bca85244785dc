/** Wakes whoever waits for news, or lets them look after a while; news that come while nobody waits are kept. */

export class Bell {
  private rung = false
  private wake: (() => void) | null = null

  /** Since the last wait. */
  get hasRung(): boolean {
    return this.rung
  }

  ring(): void {
    this.rung = true
    this.wake?.()
  }

  /** Ends at the next ring, or after this time. */
  async wait(ms: number): Promise<void> {
    if (!this.rung) {
      await new Promise<void>((resolve) => {
        const timer = setTimeout(resolve, ms)
        this.wake = () => {
          clearTimeout(timer)
          resolve()
        }
      })
    }
    this.rung = false
    this.wake = null
  }
}
