/** Waits for job outcomes: all waiters of a process share a few long polls. */

import { QueueError } from '../../../shared/errors.ts'
import { limits, SECOND } from '../../../shared/limits.ts'
import type { JobOutcome } from '../../../shared/outcomes.ts'
import type { Queue } from '../../../shared/queue.ts'
import type { Clock, Timer } from '../../base/clock.ts'
import { endOfTurn } from '../../base/end-of-turn.ts'

const WAIT_MS = 20 * SECOND
const RETRY_MS = { first: 100, max: 5 * SECOND }

/** Options of `result()`. */
export interface WaitOptions {
  /** Maximum wait, in milliseconds; default: unlimited. */
  readonly timeoutMs?: number
  /** Ends the wait on abort; the job continues. */
  readonly signal?: AbortSignal
}

interface Waiter {
  readonly resolve: (outcome: JobOutcome) => void
  readonly reject: (error: unknown) => void
}

/** Thrown by `result()` when `timeoutMs` is over. The job may still complete. */
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
  /** Ids that are in no call right now. */
  private readonly idle = new Set<string>()
  private isScheduled = false
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
      const removeWaiter = () => {
        timer?.cancel()
        signal?.removeEventListener('abort', aborted)
        const all = this.waiters.get(id)
        all?.delete(waiter)
        if (all?.size === 0) this.forget(id)
      }
      const aborted = () => waiter.reject(signal?.reason)
      const waiter: Waiter = {
        resolve: (outcome) => {
          removeWaiter()
          resolve(outcome)
        },
        reject: (error) => {
          removeWaiter()
          reject(error)
        },
      }
      if (timeoutMs !== undefined) {
        timer = this.clock.after(timeoutMs, () => waiter.reject(new ResultTimeout(id, timeoutMs)), true)
      }
      signal?.addEventListener('abort', aborted)
      this.addWaiter(id, waiter)
    })
  }

  /** Rejects all waiters: the outcome can no longer arrive. */
  close(): void {
    this.closed = new QueueError('CLOSED', 'This client is closed; the job itself continues.')
    for (const id of [...this.waiters.keys()]) for (const waiter of this.waitersOf(id)) waiter.reject(this.closed)
  }

  private addWaiter(id: string, waiter: Waiter): void {
    const known = this.waiters.get(id)
    if (known) {
      known.add(waiter)
      return
    }
    this.waiters.set(id, new Set([waiter]))
    this.idle.add(id)
    this.scheduleCalls()
  }

  private forget(id: string): void {
    this.waiters.delete(id)
    this.idle.delete(id)
  }

  /** Batches the ids of one event-loop turn with those left from earlier calls. */
  private scheduleCalls(): void {
    if (this.isScheduled) return
    this.isScheduled = true
    endOfTurn(() => {
      this.isScheduled = false
      const ids = [...this.idle]
      this.idle.clear()
      for (let from = 0; from < ids.length; from += limits.results)
        void this.poll(ids.slice(from, from + limits.results))
    })
  }

  private async poll(ids: string[]): Promise<void> {
    try {
      const { outcomes } = await this.queue.result({ ids, waitMs: WAIT_MS })
      this.failures = 0
      for (const outcome of outcomes) for (const waiter of this.waitersOf(outcome.id)) waiter.resolve(outcome)
    } catch (error) {
      if (this.isFinal(error)) for (const id of ids) for (const waiter of this.waitersOf(id)) waiter.reject(error)
      else await this.retryDelay()
    }
    for (const id of ids) if (this.waiters.has(id)) this.idle.add(id)
    if (this.idle.size > 0) this.scheduleCalls()
  }

  private waitersOf(id: string): readonly Waiter[] {
    return [...(this.waiters.get(id) ?? [])]
  }

  private retryDelay(): Promise<void> {
    const delayMs = Math.min(RETRY_MS.max, RETRY_MS.first * 2 ** this.failures)
    this.failures += 1
    return new Promise((resolve) => {
      this.clock.after(delayMs * (0.5 + Math.random() / 2), resolve, true)
    })
  }

  /** A retry would return the same error; other errors are temporary. */
  private isFinal(error: unknown): boolean {
    if (!(error instanceof QueueError)) return true
    // A server that closes will restart; an embedded queue will not.
    if (error.code === 'CLOSED') return !/^https?:/.test(this.queue.address?.url ?? '')
    return ['BAD_INPUT', 'UNAUTHORIZED', 'FORBIDDEN', 'NOT_FOUND'].includes(error.code)
  }
}
