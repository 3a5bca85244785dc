/** Runs a task on request, never concurrently and at most once per period. */

export class Pacer {
  private readonly run: () => Promise<unknown>
  private readonly everyMs: number
  private timer: ReturnType<typeof setTimeout> | undefined
  private isBusy = false
  private isRequested = false

  constructor(run: () => Promise<unknown>, everyMs: number) {
    this.run = run
    this.everyMs = everyMs
  }

  /** Runs at once when idle. A request during a run causes one more run, because the current one may miss its cause. */
  request(): void {
    this.isRequested = true
    if (!this.isBusy) void this.start()
  }

  stop(): void {
    clearTimeout(this.timer)
    this.isRequested = false
    this.isBusy = false
  }

  private async start(): Promise<void> {
    this.isRequested = false
    this.isBusy = true
    const startedAt = performance.now()
    await this.run().catch(() => {})
    const waitMs = Math.max(0, startedAt + this.everyMs - performance.now())
    clearTimeout(this.timer)
    this.timer = setTimeout(() => {
      this.isBusy = false
      if (this.isRequested) void this.start()
    }, waitMs)
  }
}
