/** How attempts ended, on the way to the queue: kept until the queue has answered, whatever the line does meanwhile. */
import type { SettleInput } from '../../shared/contracts/work.ts'
import type { QueueError } from '../../shared/errors.ts'
import { limits } from '../../shared/limits.ts'
import type { SettleOutcome } from '../queue/queue.ts'
import type { WorkerEvents } from './lines.ts'
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

  /** Sends what is ready by `send`; if that throws, all of it is ready again. */
  async deliver<Answer extends { readonly settled: readonly SettleOutcome[] }>(
    send: (settle: SettleInput[]) => Promise<Answer>,
  ): Promise<Answer> {
    const some = this.waiting.splice(0, limits.settle)
    this.underWay += some.length
    try {
      const answer = await send(some.map(({ settle }) => settle))
      for (const [index, ended] of some.entries()) this.heard(ended, answer.settled[index])
      return answer
    } catch (error) {
      this.waiting.unshift(...some)
      throw error
    } finally {
      this.underWay -= some.length
    }
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
    const error = `The result of this job cannot be stored: ${message}`
    this.waiting.push({ run, runMs, settle: { ...run.lease, kind: 'fail', error, retry: false } })
    return true
  }
}
