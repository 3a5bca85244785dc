/** Callers that wait until something about certain jobs is so: they read again when one of the jobs changes. */
import type { Clock } from '../../base/clock.ts'

interface Waiting {
  readonly ids: ReadonlySet<string>
  readonly wake: () => void
}

export interface WaitParams<Answer> {
  readonly ids: readonly string[]
  readonly waitMs: number
  readonly signal: AbortSignal | undefined
  readonly read: () => Promise<Answer>
  /** The answer is worth giving before the time is over. */
  readonly isEnough: (answer: Answer) => boolean
}

export class JobWaits {
  private readonly clock: Clock
  private readonly occupied: () => void
  private readonly waiting = new Set<Waiting>()
  private closed = false

  /** `occupied` is called when the first caller waits, and when the last one has left. */
  constructor(clock: Clock, occupied: () => void) {
    this.clock = clock
    this.occupied = occupied
  }

  get size(): number {
    return this.waiting.size
  }

  /** Resolves with the first answer that is enough, or with what there is after `waitMs`, on `signal` or on `close`. */
  async until<Answer>({ ids, waitMs, signal, read, isEnough }: WaitParams<Answer>): Promise<Answer> {
    const deadline = this.clock.monotonic() + waitMs
    for (;;) {
      // Listening starts before reading: what changes in between is not missed.
      const change = this.nextChange(ids, deadline - this.clock.monotonic(), signal)
      try {
        const answer = await read()
        const leftMs = deadline - this.clock.monotonic()
        if (isEnough(answer) || leftMs <= 0 || signal?.aborted || this.closed) return answer
        await change.promise
        if (this.closed) return answer
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

  /** Answers everyone with what is known; from now on nothing waits. */
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
      if (this.waiting.delete(waiting) && this.waiting.size === 0) this.occupied()
      wake()
    }
    const waiting: Waiting = { ids: new Set(ids), wake: stop }
    const timer = this.clock.after(Math.max(0, leftMs), stop, true)
    signal?.addEventListener('abort', stop, { once: true })
    this.waiting.add(waiting)
    if (this.waiting.size === 1) this.occupied()
    return { promise, stop }
  }
}
