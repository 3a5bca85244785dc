/** The worker of one type: started anew when another number of jobs is to run at the same time. */
import type { Queue } from '../../queue/queue.ts'
import type { Handler } from '../../worker/jobs/handler.ts'
import { openWorker } from '../../worker/start-worker.ts'
import type { Worker } from '../../worker/worker.ts'
import type { Settings } from './options.ts'

export interface TypeWorkerParts {
  readonly queue: Queue
  readonly type: string
  /** Asked before each job: it may have changed. */
  readonly handler: () => Handler | null
  readonly settings: Settings
  /** Before the first job, and after the queue was unreachable. */
  readonly declare: () => Promise<void>
}

export class TypeWorker {
  private readonly parts: TypeWorkerParts
  private worker: Worker | null = null
  private count = 0
  private wanted = 0
  private isHeld = false
  private graceMs: number | null = null
  /** The old one finishes what it has before the new one begins: never more than wanted run. */
  private changing: Promise<void> | null = null

  constructor(parts: TypeWorkerParts) {
    this.parts = parts
  }

  run(count: number, isHeld: boolean): void {
    this.wanted = count
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
    while (this.count !== this.wanted && this.graceMs === null) {
      await this.worker?.stop({ graceMs: Number.POSITIVE_INFINITY })
      if (this.graceMs === null) this.start(this.wanted)
    }
  }

  private start(count: number): void {
    const { queue, type, handler, settings, declare } = this.parts
    const { clock, waitMs, version, onEvent, onError } = settings
    const run: Handler = (job) => {
      const current = handler()
      if (!current) throw new Error(`There is no worker for ${type} any more.`)
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
      if (event.kind === 'trouble' || event.kind === 'unreachable') onError(event.error)
      onEvent(event)
    })
    if (this.isHeld) this.worker.hold()
  }
}
