/** Runs something as often as it is asked for, but never twice at a time nor more than once per period. */

export class Pacer {
  private readonly run: () => Promise<unknown>
  private readonly everyMs: number
  private timer: ReturnType<typeof setTimeout> | undefined
  private isBusy = false
  private isAsked = false

  constructor(run: () => Promise<unknown>, everyMs: number) {
    this.run = run
    this.everyMs = everyMs
  }

  /** At once after a quiet time. What is asked for during a run may be news to it: then there is one more. */
  ask(): void {
    this.isAsked = true
    if (!this.isBusy) void this.go()
  }

  stop(): void {
    clearTimeout(this.timer)
    this.isAsked = false
    this.isBusy = false
  }

  private async go(): Promise<void> {
    this.isAsked = false
    this.isBusy = true
    const startedAt = performance.now()
    await this.run().catch(() => {})
    const waitMs = Math.max(0, startedAt + this.everyMs - performance.now())
    clearTimeout(this.timer)
    this.timer = setTimeout(() => {
      this.isBusy = false
      if (this.isAsked) void this.go()
    }, waitMs)
  }
}
