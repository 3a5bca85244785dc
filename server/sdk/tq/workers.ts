/** The workers of a `tq`: declares what was said about types, then runs those that have a handler. */
import { QueueError } from '../../../shared/errors.ts'
import { limits } from '../../../shared/limits.ts'
import type { Queue } from '../../queue/queue.ts'
import { RetryPause } from '../../worker/connection/retry-delay.ts'
import type { Settings } from './options.ts'
import type { Task, TaskTypes } from './task-types.ts'
import { TypeWorker } from './type-worker.ts'

export class Workers {
  private readonly queue: Promise<Queue>
  private readonly types: TaskTypes
  private readonly settings: Settings
  private readonly running = new Map<string, TypeWorker>()
  /** Types that were declared before their first worker has started. */
  private readonly declared = new Set<string>()
  private readonly stopping = new AbortController()
  private readonly pause: RetryPause
  private isHeld: boolean
  private catchingUp = Promise.resolve()
  private isAsked = false

  constructor(queue: Promise<Queue>, types: TaskTypes, settings: Settings, isHeld: boolean) {
    this.queue = queue
    this.types = types
    this.settings = settings
    this.isHeld = isHeld
    this.pause = new RetryPause(settings.clock, Math.random)
  }

  /** Something was said about a type; what is said in the same turn is heard together. */
  changed(): void {
    if (this.isAsked || this.stopping.signal.aborted) return
    this.isAsked = true
    this.catchingUp = this.catchingUp.then(() => this.catchUp())
  }

  hold(isHeld: boolean): void {
    this.isHeld = isHeld
    for (const worker of this.running.values()) worker.hold(isHeld)
  }

  async stop(graceMs: number): Promise<void> {
    this.stopping.abort()
    await this.catchingUp
    await Promise.all([...this.running.values()].map((worker) => worker.stop(graceMs)))
  }

  private async catchUp(): Promise<void> {
    this.isAsked = false
    const queue = await this.queue.catch(() => null)
    // Whoever opened it has told why it cannot be.
    if (!queue) return
    // Limits hold from the first job on.
    await this.declare(queue, this.types.undeclared())
    if (this.stopping.signal.aborted) return
    for (const { type, workerCount } of this.types.handled()) {
      this.workerOf(queue, type).run(workerCount ?? this.settings.workerCount, this.isHeld)
    }
  }

  private workerOf(queue: Queue, type: string): TypeWorker {
    const { types, settings } = this
    const worker =
      this.running.get(type) ??
      new TypeWorker({
        ...{ queue, type, settings },
        handler: () => types.handlerOf(type),
        // The first worker of a type starts right after it was declared.
        declare: async () => {
          if (!this.declared.delete(type)) await queue.declareTypes({ types: [this.declarationOf(types.get(type))] })
        },
      })
    this.running.set(type, worker)
    return worker
  }

  private async declare(queue: Queue, tasks: readonly Task[]): Promise<void> {
    for (let from = 0; from < tasks.length; from += limits.declareTypes) {
      const some = tasks.slice(from, from + limits.declareTypes)
      for (const task of some) task.isDeclared = true
      await this.declareSome(queue, some)
    }
  }

  private declarationOf({ type, settings }: Task) {
    return { name: type, settings: { timeoutMs: this.settings.timeoutMs, ...settings } }
  }

  /** A queue out of reach is asked again. After a refusal each worker asks by itself, and takes nothing until it is accepted. */
  private async declareSome(queue: Queue, tasks: readonly Task[]): Promise<void> {
    const { onError } = this.settings
    while (!this.stopping.signal.aborted) {
      try {
        await queue.declareTypes({ types: tasks.map((task) => this.declarationOf(task)) })
        this.pause.answered()
        for (const { type } of tasks) if (!this.running.has(type)) this.declared.add(type)
        return
      } catch (error) {
        const isRefused = !(error instanceof QueueError && (error.code === 'BUSY' || error.code === 'UNREACHABLE'))
        // A worker that declares in vain reports it.
        const isReported = isRefused && tasks.every(({ handler }) => handler !== null)
        if (this.pause.outageMs === null && !isReported) onError(error)
        if (isRefused) return
        await this.pause.wait(this.stopping.signal)
      }
    }
  }
}
