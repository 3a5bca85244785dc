/** Answers "how did these jobs end?", now or as soon as one of them does. */
import { isTerminal, type TerminalStatus } from '../../shared/status.ts'
import type { Clock } from '../clock.ts'
import type { Change, Store } from '../store/store.ts'

/** How a job ended: `completed` with its result, `failed` or `cancelled` with its error, or `missing`. */
export type JobOutcome =
  | { readonly id: string; readonly status: 'completed'; readonly result: unknown }
  | { readonly id: string; readonly status: Exclude<TerminalStatus, 'completed'>; readonly error: string | null }
  /** Unknown, or removed since. */
  | { readonly id: string; readonly status: 'missing' }

/** The outcomes of the jobs that have ended, and the ids of the others. */
export interface ResultsAnswer {
  /** The jobs that have ended. */
  readonly outcomes: readonly JobOutcome[]
  /** Ids that have not ended yet. */
  readonly notYet: readonly string[]
}

interface Waiting {
  readonly ids: ReadonlySet<string>
  readonly wake: () => void
}

export class Results {
  private readonly store: Store
  private readonly clock: Clock
  private readonly occupied: () => void
  private readonly waiting = new Set<Waiting>()
  private closed = false

  constructor(store: Store, clock: Clock, occupied: () => void) {
    this.store = store
    this.clock = clock
    this.occupied = occupied
  }

  get size(): number {
    return this.waiting.size
  }

  /** Comes back as soon as at least one of the jobs has ended, or after `waitMs`. */
  async read(ids: readonly string[], waitMs: number, signal: AbortSignal | undefined): Promise<ResultsAnswer> {
    const deadline = this.clock.monotonic() + waitMs
    for (;;) {
      // Listening starts before reading: what ends in between is not missed.
      const change = this.nextChange(ids, deadline - this.clock.monotonic(), signal)
      try {
        const answer = await this.readNow(ids)
        const leftMs = deadline - this.clock.monotonic()
        if (answer.outcomes.length > 0 || leftMs <= 0 || signal?.aborted || this.closed) return answer
        await change.promise
        if (this.closed) return answer
      } finally {
        change.stop()
      }
    }
  }

  committed(changes: readonly Change[]): void {
    if (this.waiting.size === 0) return
    for (const { id, to } of changes) {
      if (to !== null && !isTerminal(to)) continue
      for (const waiting of this.waiting) if (waiting.ids.has(id)) waiting.wake()
    }
  }

  wakeAll(): void {
    for (const waiting of [...this.waiting]) waiting.wake()
  }

  /** Answers everyone with what is known. */
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

  private async readNow(ids: readonly string[]): Promise<ResultsAnswer> {
    const jobs = new Map((await this.store.getMany(ids)).map((job) => [job.id, job]))
    const results = await this.store.results(ids)
    const outcomes: JobOutcome[] = []
    const notYet: string[] = []
    for (const id of ids) {
      const job = jobs.get(id)
      if (!job) outcomes.push({ id, status: 'missing' })
      else if (!isTerminal(job.status)) notYet.push(id)
      else if (job.status === 'completed') outcomes.push({ id, status: 'completed', result: results.get(id) ?? null })
      else outcomes.push({ id, status: job.status, error: job.error })
    }
    return { outcomes, notYet }
  }
}
