/** Long polling on jobs: a waiting call reads again when one of its jobs changes. */
import type { Clock } from '../../base/clock.ts'

interface Waiting {
  readonly ids: ReadonlySet<string>
  readonly wake: () => void
}

export interface WaitParams<Result> {
  readonly ids: readonly string[]
  readonly waitMs: number
  readonly signal: AbortSignal | undefined
  readonly read: () => Promise<Result>
  /** True when the result ends the wait before `waitMs`. */
  readonly isFinal: (result: Result) => boolean
}

export class JobWaits {
  private readonly clock: Clock
  private readonly onOccupancyChanged: () => void
  private readonly waiting = new Set<Waiting>()
  private closed = false

  /** `onOccupancyChanged` is called when the first call waits and when the last one ends. */
  constructor(clock: Clock, onOccupancyChanged: () => void) {
    this.clock = clock
    this.onOccupancyChanged = onOccupancyChanged
  }

  get size(): number {
    return this.waiting.size
  }

  /** Resolves with the first final result, or with the current one after `waitMs`, on `signal` or on `close`. */
  async until<Result>({ ids, waitMs, signal, read, isFinal }: WaitParams<Result>): Promise<Result> {
    const deadline = this.clock.monotonic() + waitMs
    for (;;) {
      // Subscribes before it reads, so that a change in between is not missed.
      const change = this.nextChange(ids, deadline - this.clock.monotonic(), signal)
      try {
        const result = await read()
        const leftMs = deadline - this.clock.monotonic()
        if (isFinal(result) || leftMs <= 0 || signal?.aborted || this.closed) return result
        await change.promise
        if (this.closed) return result
      } finally {
        change.stop()
      }
    }
  }

  changed(id: string): void {
    for (const waiting of this.waiting) if (waiting.ids.has(id)) waiting.wake()
  }

  wakeAll(): void {
    for (const waiting of [...this.waiting]) waiting.wake()
  }

  /** Resolves every waiting call with its current result; later calls do not wait. */
  close(): void {
    this.closed = true
    this.wakeAll()
  }

  private nextChange(ids: readonly string[], leftMs: number, signal: AbortSignal | undefined) {
    let wake = () => {}
    const promise = new Promise<void>((resolve) => {
      wake = resolve
    })
    const stop = () => {
      timer.cancel()
      signal?.removeEventListener('abort', stop)
      if (this.waiting.delete(waiting) && this.waiting.size === 0) this.onOccupancyChanged()
      wake()
    }
    const waiting: Waiting = { ids: new Set(ids), wake: stop }
    const timer = this.clock.after(Math.max(0, leftMs), stop, true)
    signal?.addEventListener('abort', stop, { once: true })
    this.waiting.add(waiting)
    if (this.waiting.size === 1) this.onOccupancyChanged()
    return { promise, stop }
  }
}
