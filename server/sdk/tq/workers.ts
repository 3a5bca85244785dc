/** Workers of a `tq`: declares the task types, then runs those with a handler. */

import { QueueError } from '../../../shared/errors.ts'
import { DAY, limits } from '../../../shared/limits.ts'
import type { Queue } from '../../../shared/queue.ts'
import { RetryDelay } from '../../worker/connection/retry-delay.ts'
import { RepeatedDeclaration } from '../schedules/declare-schedules.ts'
import type { Settings } from './options.ts'
import type { Task, TaskTypes } from './task-types.ts'
import { TypeWorker } from './type-worker.ts'

export interface WorkersOptions {
  /** Resolves when the queue is open. */
  readonly queue: Promise<Queue>
  readonly types: TaskTypes
  readonly settings: Settings
  /** Workers start paused. */
  readonly isHeld: boolean
}

export class Workers {
  private readonly options: WorkersOptions
  private readonly running = new Map<string, TypeWorker>()
  /** Types that were declared before their first worker has started. */
  private readonly declared = new Set<string>()
  private readonly stopping = new AbortController()
  private readonly retryDelay: RetryDelay
  private schedules: RepeatedDeclaration | null = null
  private isHeld: boolean
  private applying = Promise.resolve()
  private isScheduled = false

  constructor(options: WorkersOptions) {
    this.options = options
    this.isHeld = options.isHeld
    this.retryDelay = new RetryDelay(options.settings.clock, Math.random)
  }

  /** Schedules the declaration of changed types; batches the changes of one turn. */
  changed(): void {
    if (this.isScheduled || this.stopping.signal.aborted) return
    this.isScheduled = true
    this.applying = this.applying.then(() => this.applyChanges())
  }

  hold(isHeld: boolean): void {
    this.isHeld = isHeld
    for (const worker of this.running.values()) worker.hold(isHeld)
  }

  async stop(graceMs: number): Promise<void> {
    this.stopping.abort()
    this.schedules?.stop()
    await this.applying
    await Promise.all([...this.running.values()].map((worker) => worker.stop(graceMs)))
  }

  private async applyChanges(): Promise<void> {
    this.isScheduled = false
    const queue = await this.options.queue.catch(() => null)
    // The backend has reported why it could not be opened.
    if (!queue) return
    // Declared first, so that limits apply from the first job on.
    await this.declare(queue, this.options.types.undeclared())
    await this.declareSchedules(queue)
    if (this.stopping.signal.aborted) return
    for (const { type, workerCount } of this.options.types.handled()) {
      this.workerOf(queue, type).run(workerCount ?? this.options.settings.workerCount, this.isHeld)
    }
  }

  private workerOf(queue: Queue, type: string): TypeWorker {
    const { types, settings } = this.options
    const worker =
      this.running.get(type) ??
      new TypeWorker({
        ...{ queue, type, settings },
        handler: () => types.handlerOf(type),
        // The first worker of a type starts right after its declaration.
        declare: async () => {
          if (this.declared.delete(type)) return
          await queue.declareTypes({ types: [this.declarationOf(types.get(type))] })
          await this.schedules?.declare()
        },
      })
    this.running.set(type, worker)
    return worker
  }

  private async declare(queue: Queue, tasks: readonly Task[]): Promise<void> {
    for (let from = 0; from < tasks.length; from += limits.declareTypes) {
      const batch = tasks.slice(from, from + limits.declareTypes)
      for (const task of batch) task.isDeclared = true
      await this.declareBatch(queue, batch)
    }
  }

  private declarationOf({ type, settings }: Task) {
    return { name: type, settings: { timeoutMs: this.options.settings.timeoutMs, ...settings } }
  }

  /** After a rejection each worker declares its type itself, reports the rejection and claims nothing before. */
  private async declareBatch(queue: Queue, tasks: readonly Task[]): Promise<void> {
    const isReported = tasks.every(({ handler }) => handler !== null)
    const isDeclared = await this.whileUnreachable(isReported, () =>
      queue.declareTypes({ types: tasks.map((task) => this.declarationOf(task)) }),
    )
    if (!isDeclared) return
    for (const { type } of tasks) if (!this.running.has(type)) this.declared.add(type)
  }

  /** All schedules of this process, because one that is missing becomes orphaned. */
  private async declareSchedules(queue: Queue): Promise<void> {
    const { types, settings } = this.options
    if (types.areSchedulesDeclared) return
    types.areSchedulesDeclared = true
    const declarations = async () => types.schedules()
    this.schedules ??= new RepeatedDeclaration({
      queue,
      schedules: () => ({ owner: settings.owner, graceMs: DAY, declarations }),
      clock: settings.clock,
      onDeclared: () => {},
    })
    const { schedules } = this
    await this.whileUnreachable(false, () => schedules.declare())
  }

  /** Retries while the queue is unreachable. Returns false after a rejection, or when the workers stop. */
  private async whileUnreachable(isReported: boolean, declare: () => Promise<void>): Promise<boolean> {
    while (!this.stopping.signal.aborted) {
      try {
        await declare()
        this.retryDelay.reset()
        return true
      } catch (error) {
        const isRejected = !(error instanceof QueueError && (error.code === 'BUSY' || error.code === 'UNREACHABLE'))
        if (this.retryDelay.outageMs === null && !(isRejected && isReported)) this.options.settings.onError(error)
        if (isRejected) return false
        await this.retryDelay.wait(this.stopping.signal)
      }
    }
    return false
  }
}
