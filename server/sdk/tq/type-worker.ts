/** Worker of one task type, restarted when its concurrency changes. */
import type { Queue } from '../../../shared/queue.ts'
import type { Handler } from '../../worker/jobs/handler.ts'
import { openWorker } from '../../worker/start-worker.ts'
import type { Worker } from '../../worker/worker.ts'
import type { Settings } from './options.ts'

export interface TypeWorkerOptions {
  readonly queue: Queue
  readonly type: string
  /** Called before each job, because the handler may have changed. */
  readonly handler: () => Handler | null
  readonly settings: Settings
  /** Runs before the first claim and after each outage. */
  readonly declare: () => Promise<void>
}

export class TypeWorker {
  private readonly options: TypeWorkerOptions
  private worker: Worker | null = null
  private count = 0
  private targetCount = 0
  private isHeld = false
  private graceMs: number | null = null
  /** The old worker finishes its jobs before the new one starts, so that the limit holds. */
  private changing: Promise<void> | null = null

  constructor(options: TypeWorkerOptions) {
    this.options = options
  }

  run(count: number, isHeld: boolean): void {
    this.targetCount = count
    this.isHeld = isHeld
    if (this.changing || this.count === count) return
    this.changing = this.change().finally(() => {
      this.changing = null
    })
  }

  hold(isHeld: boolean): void {
    this.isHeld = isHeld
    if (isHeld) this.worker?.hold()
    else this.worker?.resume()
  }

  async stop(graceMs: number): Promise<void> {
    this.graceMs = graceMs
    await this.worker?.stop({ graceMs })
    await this.changing
  }

  private async change(): Promise<void> {
    while (this.count !== this.targetCount && this.graceMs === null) {
      await this.worker?.stop({ graceMs: Number.POSITIVE_INFINITY })
      if (this.graceMs === null) this.start(this.targetCount)
    }
  }

  private start(count: number): void {
    const { queue, type, handler, settings, declare } = this.options
    const { clock, waitMs, version, onEvent, onError } = settings
    const run: Handler = (job) => {
      const current = handler()
      if (!current) throw new Error(`The worker for ${type} was removed.`)
      return current(job)
    }
    this.count = count
    this.worker = openWorker(
      queue,
      { [type]: run },
      { clock, waitMs, version, concurrency: count },
      { prepare: declare },
    )
    this.worker.events.onAny((event) => {
      if (event.kind === 'error' || event.kind === 'unreachable') onError(event.error)
      onEvent(event)
    })
    if (this.isHeld) this.worker.hold()
  }
}
