/** Declaration of schedules to a queue, repeated while the application runs. */
import type { DeclareSchedulesInput } from '../../../shared/contracts/schedules.ts'
import { QueueError } from '../../../shared/errors.ts'
import { HOUR, MINUTE } from '../../../shared/limits.ts'
import type { Queue } from '../../../shared/queue.ts'
import type { DeclaredSchedules } from '../../../shared/schedules/schedule.ts'
import type { Clock, Timer } from '../../base/clock.ts'
import type { Schedules } from './define-schedules.ts'

type DeclaringQueue = Pick<Queue, 'declareSchedules'>

/** Declares all schedules of one owner. Adds the owner to an error. */
export async function declareSchedules(
  queue: DeclaringQueue,
  { owner, graceMs, declarations }: Omit<Schedules, 'names'>,
  signal?: AbortSignal,
): Promise<DeclaredSchedules> {
  const schedules: DeclareSchedulesInput['schedules'] = [...(await declarations())]
  try {
    return await queue.declareSchedules({ owner, graceMs, schedules }, { signal })
  } catch (error) {
    if (!(error instanceof QueueError)) throw error
    const message = `The schedules of ${owner} could not be declared: ${error.message}`
    throw new QueueError(error.code, message, error.details)
  }
}

const LONGEST_REPEAT_MS = 6 * HOUR

export interface RepeatOptions {
  readonly queue: DeclaringQueue
  /** Read again for each declaration. */
  readonly schedules: () => Omit<Schedules, 'names'>
  readonly clock: Clock
  readonly onDeclared: (declared: DeclaredSchedules) => void
}

/**
 * Declares schedules, then again several times within the grace period. In a rolling deployment an old process that reconnects
 * declares the old set last, which would orphan the schedules that only the new version has.
 */
export class RepeatedDeclaration {
  private readonly options: RepeatOptions
  private timer: Timer | null = null
  private isStopped = false

  constructor(options: RepeatOptions) {
    this.options = options
  }

  async declare(signal?: AbortSignal): Promise<void> {
    const { queue, schedules, onDeclared } = this.options
    const declared = await declareSchedules(queue, schedules(), signal)
    this.repeat()
    onDeclared(declared)
  }

  stop(): void {
    this.isStopped = true
    this.timer?.cancel()
  }

  private repeat(): void {
    this.timer?.cancel()
    const { clock, schedules } = this.options
    const repeatMs = Math.max(MINUTE, Math.min(LONGEST_REPEAT_MS, schedules().graceMs / 4))
    if (this.isStopped) return
    this.timer = clock.after(repeatMs, () => {
      // An outage is reported by the claims of the worker, which declares again after it.
      this.declare().catch(() => this.repeat())
    })
  }
}
