/** Waits for the ends of jobs: everybody who waits in this process shares a few calls, which survive restarts of the server. */
import { QueueError } from '../../../shared/errors.ts'
import { limits, SECOND } from '../../../shared/limits.ts'
import type { Clock, Timer } from '../../base/clock.ts'
import type { JobOutcome, Queue } from '../../queue/queue.ts'

const WAIT_MS = 20 * SECOND
const RETRY_MS = { first: 100, most: 5 * SECOND }

/** How long to wait for a result. */
export interface WaitOptions {
  /** How long to wait at most; default: for ever. */
  readonly timeoutMs?: number
  /** Ends the wait when it is aborted; the job goes on. */
  readonly signal?: AbortSignal
}

interface Waiter {
  readonly resolve: (outcome: JobOutcome) => void
  readonly reject: (error: unknown) => void
}

/** The wait is over and the job is not: it may still complete. */
export class ResultTimeout extends Error {
  override readonly name = 'ResultTimeout'

  constructor(id: string, timeoutMs: number) {
    super(`Job ${id} has not ended within ${timeoutMs} ms; it is still in the queue.`)
  }
}

export class JobResults {
  private readonly queue: Pick<Queue, 'address' | 'result'>
  private readonly clock: Clock
  private readonly waiters = new Map<string, Set<Waiter>>()
  /** Ids that no call asks about right now. */
  private readonly idle = new Set<string>()
  private isGathering = false
  private failures = 0
  private closed: QueueError | null = null

  constructor(queue: Pick<Queue, 'address' | 'result'>, clock: Clock) {
    this.queue = queue
    this.clock = clock
  }

  wait(id: string, { timeoutMs, signal }: WaitOptions = {}): Promise<JobOutcome> {
    return new Promise((resolve, reject) => {
      if (signal?.aborted || this.closed) {
        reject(this.closed ?? signal?.reason)
        return
      }
      let timer: Timer | null = null
      const leave = () => {
        timer?.cancel()
        signal?.removeEventListener('abort', aborted)
        const all = this.waiters.get(id)
        all?.delete(waiter)
        if (all?.size === 0) this.forget(id)
      }
      const aborted = () => waiter.reject(signal?.reason)
      const waiter: Waiter = {
        resolve: (outcome) => {
          leave()
          resolve(outcome)
        },
        reject: (error) => {
          leave()
          reject(error)
        },
      }
      if (timeoutMs !== undefined) {
        timer = this.clock.after(timeoutMs, () => waiter.reject(new ResultTimeout(id, timeoutMs)), true)
      }
      signal?.addEventListener('abort', aborted)
      this.enter(id, waiter)
    })
  }

  /** Nobody waits any longer: who waited for a queue that was closed here would wait for ever. */
  close(): void {
    this.closed = new QueueError('CLOSED', 'This client has been closed; the job itself goes on.')
    for (const id of [...this.waiters.keys()]) for (const waiter of this.of(id)) waiter.reject(this.closed)
  }

  private enter(id: string, waiter: Waiter): void {
    const known = this.waiters.get(id)
    if (known) {
      known.add(waiter)
      return
    }
    this.waiters.set(id, new Set([waiter]))
    this.idle.add(id)
    this.gather()
  }

  private forget(id: string): void {
    this.waiters.delete(id)
    this.idle.delete(id)
  }

  /** What is asked for in one turn is asked for together, with what is left of earlier calls. */
  private gather(): void {
    if (this.isGathering) return
    this.isGathering = true
    endOfTurn(() => {
      this.isGathering = false
      const ids = [...this.idle]
      this.idle.clear()
      for (let from = 0; from < ids.length; from += limits.results)
        void this.ask(ids.slice(from, from + limits.results))
    })
  }

  private async ask(ids: string[]): Promise<void> {
    try {
      const { outcomes } = await this.queue.result({ ids, waitMs: WAIT_MS })
      this.failures = 0
      for (const outcome of outcomes) for (const waiter of this.of(outcome.id)) waiter.resolve(outcome)
    } catch (error) {
      if (this.isFinal(error)) for (const id of ids) for (const waiter of this.of(id)) waiter.reject(error)
      else await this.pause()
    }
    for (const id of ids) if (this.waiters.has(id)) this.idle.add(id)
    if (this.idle.size > 0) this.gather()
  }

  private of(id: string): readonly Waiter[] {
    return [...(this.waiters.get(id) ?? [])]
  }

  private pause(): Promise<void> {
    const span = Math.min(RETRY_MS.most, RETRY_MS.first * 2 ** this.failures)
    this.failures += 1
    return new Promise((resolve) => {
      this.clock.after(span * (0.5 + Math.random() / 2), resolve, true)
    })
  }

  /** The queue has answered, and would answer the same again; everything else may be over in a moment. */
  private isFinal(error: unknown): boolean {
    if (!(error instanceof QueueError)) return true
    // A server that closes comes back; a queue in this process does not.
    if (error.code === 'CLOSED') return !/^https?:/.test(this.queue.address?.url ?? '')
    return ['BAD_INPUT', 'UNAUTHORIZED', 'FORBIDDEN', 'NOT_FOUND'].includes(error.code)
  }
}

/** Browsers and most edge runtimes have no setImmediate. */
function endOfTurn(run: () => void): void {
  if (typeof setImmediate === 'function') setImmediate(run)
  else setTimeout(run)
}
