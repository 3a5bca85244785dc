/** Outbox of settle requests: keeps each outcome until the queue has responded. */

import type { SettleInput } from '../../../shared/contracts/work.ts'
import { QueueError } from '../../../shared/errors.ts'
import { limits } from '../../../shared/limits.ts'
import type { SettleOutcome } from '../../../shared/outcomes.ts'
import type { WorkerEvents } from '../events.ts'
import { unstorable } from './outcome.ts'
import type { RunningJob } from './run-job.ts'

/** An attempt that ran, or that was claimed too late to start. */
type Attempt = Pick<RunningJob, 'job' | 'lease'>

interface Settlement {
  readonly run: Attempt
  readonly settle: SettleInput
  readonly runMs: number
}

export class Settlements {
  private readonly events: WorkerEvents
  private readonly onSettled: (run: Attempt) => void
  private waiting: Settlement[] = []
  private inFlight = 0
  /** Size of a batch; smaller after a call that was too large. */
  private maxBatch: number = limits.settle
  private rejection: QueueError | null = null

  /** `onSettled` is called for each attempt whose lease is no longer needed. */
  constructor(events: WorkerEvents, onSettled: (run: Attempt) => void) {
    this.events = events
    this.onSettled = onSettled
  }

  add(settlement: Settlement): void {
    this.waiting.push(settlement)
  }

  get ready(): number {
    return this.waiting.length
  }

  get size(): number {
    return this.waiting.length + this.inFlight
  }

  /** Returns and clears the error of outcomes that the queue could not store now. They are ready again, after a delay. */
  takeRejection(): QueueError | null {
    const { rejection } = this
    this.rejection = null
    return rejection
  }

  /** Sends all ready outcomes in as many calls as needed. Throws when the queue could not store one. */
  async deliverAll<Response extends { readonly settled: readonly SettleOutcome[] }>(
    send: (settle: SettleInput[]) => Promise<Response>,
  ): Promise<void> {
    while (this.ready > 0) {
      await this.deliver(send)
      const rejection = this.takeRejection()
      if (rejection) throw rejection
    }
  }

  /** Sends one batch. If `send` throws, its outcomes are ready again. A batch that is too large is split. */
  async deliver<Response extends { readonly settled: readonly SettleOutcome[] }>(
    send: (settle: SettleInput[]) => Promise<Response>,
  ): Promise<Response> {
    const batch = this.waiting.splice(0, this.maxBatch)
    this.inFlight += batch.length
    try {
      const response = await send(batch.map(({ settle }) => settle))
      this.maxBatch = limits.settle
      for (const [index, settlement] of batch.entries()) this.applyOutcome(settlement, response.settled[index])
      return response
    } catch (error) {
      const remaining = isTooLarge(error) ? this.splitBatch(batch, error) : null
      this.waiting.unshift(...(remaining ?? batch))
      if (!remaining) throw error
    } finally {
      this.inFlight -= batch.length
    }
    return this.deliver(send)
  }

  /** Halves a batch that is too large. A single result that is too large fails its job; null: cannot be split. */
  private splitBatch(batch: readonly Settlement[], { message }: QueueError): readonly Settlement[] | null {
    const [first] = batch
    this.maxBatch = Math.max(1, Math.floor(batch.length / 2))
    if (batch.length !== 1) return batch.length === 0 ? null : batch
    return first?.settle.kind === 'complete' ? [asFailure(first, message)] : null
  }

  private applyOutcome(settlement: Settlement, outcome: SettleOutcome | undefined): void {
    const { run, settle, runMs } = settlement
    if (outcome && !outcome.ok && this.settlesAgain(settlement, outcome.error)) return
    this.onSettled(run)
    const { id, type, attempts: attempt } = run.job
    const about = { id, type, attempt }
    if (!outcome?.ok) {
      this.events.emit({ kind: 'skipped', reason: outcome?.error.message ?? 'the queue returned no outcome', ...about })
    } else if (settle.kind === 'complete') {
      if (this.events.hasListener('success')) this.events.emit({ kind: 'success', runMs, ...about })
    } else if (settle.kind === 'release') this.events.emit({ kind: 'released', ...about })
    else this.events.emit({ kind: 'failed', runMs, error: settle.error, status: outcome.value.status, ...about })
  }

  /** Retries while the queue is unavailable. A result that cannot be stored becomes a failure without a retry. */
  private settlesAgain({ run, settle, runMs }: Settlement, rejection: QueueError): boolean {
    const { code, message } = rejection
    if (code === 'BUSY' || code === 'CLOSED' || code === 'DISK_FULL') {
      this.rejection = rejection
      this.waiting.push({ run, settle, runMs })
      return true
    }
    if (settle.kind !== 'complete' || (code !== 'TOO_LARGE' && code !== 'BAD_INPUT')) return false
    this.waiting.push(asFailure({ run, settle, runMs }, message))
    return true
  }
}

function asFailure({ run, runMs }: Settlement, reason: string): Settlement {
  return { run, runMs, settle: { ...run.lease, kind: 'fail', error: unstorable(reason), retry: false } }
}

function isTooLarge(error: unknown): error is QueueError {
  return error instanceof QueueError && error.code === 'TOO_LARGE'
}
