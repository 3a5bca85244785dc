/** How attempts ended, on the way to the queue: kept until the queue has answered, whatever the line does meanwhile. */
import type { SettleInput } from '../../../shared/contracts/work.ts'
import { QueueError } from '../../../shared/errors.ts'
import { limits } from '../../../shared/limits.ts'
import type { SettleOutcome } from '../../queue/queue.ts'
import type { WorkerEvents } from '../events.ts'
import { unstorable } from './outcome.ts'
import type { RunningJob } from './run-job.ts'

/** An attempt: one that ran, or one that was taken too late to be begun. */
type Attempt = Pick<RunningJob, 'job' | 'lease'>

interface Ended {
  readonly run: Attempt
  readonly settle: SettleInput
  readonly runMs: number
}

export class Settlements {
  private readonly events: WorkerEvents
  private readonly answered: (run: Attempt) => void
  private waiting: Ended[] = []
  private underWay = 0
  /** How many may travel together: fewer after a call that was too large. */
  private most: number = limits.settle
  private refusal: QueueError | null = null

  /** `answered` hears of each attempt that needs no lease any more. */
  constructor(events: WorkerEvents, answered: (run: Attempt) => void) {
    this.events = events
    this.answered = answered
  }

  add(ended: Ended): void {
    this.waiting.push(ended)
  }

  get ready(): number {
    return this.waiting.length
  }

  get size(): number {
    return this.waiting.length + this.underWay
  }

  /** Why the queue could not take something just now, once: it is ready again, but asking at once would be asking in vain. */
  takeRefusal(): QueueError | null {
    const { refusal } = this
    this.refusal = null
    return refusal
  }

  /** All that is ready, in as many calls as that takes; throws when the queue could not take something. */
  async deliverAll<Answer extends { readonly settled: readonly SettleOutcome[] }>(
    send: (settle: SettleInput[]) => Promise<Answer>,
  ): Promise<void> {
    while (this.ready > 0) {
      await this.deliver(send)
      const refusal = this.takeRefusal()
      if (refusal) throw refusal
    }
  }

  /** Sends what is ready by `send`; if that throws, all of it is ready again. What is too large together goes in parts. */
  async deliver<Answer extends { readonly settled: readonly SettleOutcome[] }>(
    send: (settle: SettleInput[]) => Promise<Answer>,
  ): Promise<Answer> {
    const some = this.waiting.splice(0, this.most)
    this.underWay += some.length
    try {
      const answer = await send(some.map(({ settle }) => settle))
      this.most = limits.settle
      for (const [index, ended] of some.entries()) this.heard(ended, answer.settled[index])
      return answer
    } catch (error) {
      const mended = isTooLarge(error) ? this.inParts(some, error) : null
      this.waiting.unshift(...(mended ?? some))
      if (!mended) throw error
    } finally {
      this.underWay -= some.length
    }
    return this.deliver(send)
  }

  /** A call has a size that no server takes: half of them next time, and one that is too large by itself has failed. */
  private inParts(some: readonly Ended[], { message }: QueueError): readonly Ended[] | null {
    const [first] = some
    this.most = Math.max(1, Math.floor(some.length / 2))
    if (some.length !== 1) return some.length === 0 ? null : some
    return first?.settle.kind === 'complete' ? [asFailure(first, message)] : null
  }

  private heard(ended: Ended, outcome: SettleOutcome | undefined): void {
    const { run, settle, runMs } = ended
    if (outcome && !outcome.ok && this.isStillToSettle(ended, outcome.error)) return
    this.answered(run)
    const { id, type, attempts: attempt } = run.job
    const about = { id, type, attempt }
    if (!outcome?.ok) {
      this.events.tell({ kind: 'skipped', reason: outcome?.error.message ?? 'the queue gave no answer', ...about })
    } else if (settle.kind === 'complete') this.events.tell({ kind: 'success', runMs, ...about })
    else if (settle.kind === 'release') this.events.tell({ kind: 'released', ...about })
    else this.events.tell({ kind: 'failed', runMs, error: settle.error, status: outcome.value.status, ...about })
  }

  /** A result that cannot be stored is a failure that no retry would mend; a queue in trouble is asked again. */
  private isStillToSettle({ run, settle, runMs }: Ended, refusal: QueueError): boolean {
    const { code, message } = refusal
    if (code === 'BUSY' || code === 'CLOSED' || code === 'DISK_FULL') {
      this.refusal = refusal
      this.waiting.push({ run, settle, runMs })
      return true
    }
    if (settle.kind !== 'complete' || (code !== 'TOO_LARGE' && code !== 'BAD_INPUT')) return false
    this.waiting.push(asFailure({ run, settle, runMs }, message))
    return true
  }
}

function asFailure({ run, runMs }: Ended, reason: string): Ended {
  return { run, runMs, settle: { ...run.lease, kind: 'fail', error: unstorable(reason), retry: false } }
}

function isTooLarge(error: unknown): error is QueueError {
  return error instanceof QueueError && error.code === 'TOO_LARGE'
}
