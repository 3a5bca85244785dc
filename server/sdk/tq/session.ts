/** One session of a `tq`, from `init` to `stop`. */

import type { EnqueueInput } from '../../../shared/contracts/produce.ts'
import { QueueError } from '../../../shared/errors.ts'
import type { EnqueueResult } from '../../../shared/job.ts'
import type { Queue } from '../../../shared/queue.ts'
import type { TqBackend } from './backend.ts'
import type { Settings } from './options.ts'
import type { TaskTypes } from './task-types.ts'
import { UnhandledTypes } from './unhandled.ts'
import { Workers } from './workers.ts'

export interface SessionOptions {
  readonly backend: TqBackend<unknown>
  readonly types: TaskTypes
  readonly settings: Settings
  /** Workers start paused. */
  readonly isHeld: boolean
}

export class Session {
  private readonly backend: TqBackend<unknown>
  private readonly workers: Workers
  private readonly unhandled: Promise<UnhandledTypes | null>
  private isClosed = false
  private stopping: Promise<void> | null = null

  constructor({ backend, types, settings, isHeld }: SessionOptions) {
    this.backend = backend
    this.workers = new Workers({ queue: backend.queue, types, settings, isHeld })
    this.unhandled = backend.queue.then(
      (queue) => new UnhandledTypes({ queue, types, settings, isLocal: backend.isLocal }),
      () => null,
    )
    this.workers.changed()
  }

  /** Handlers that finish during `stop` may still add jobs. */
  add(input: EnqueueInput): EnqueueResult | Promise<EnqueueResult> {
    if (this.isClosed) throw stoppedError()
    return this.backend.add(input)
  }

  /** Applies changes of task types; after `stop` they apply to the next session. */
  changed(): void {
    this.workers.changed()
  }

  hold(isHeld: boolean): void {
    this.workers.hold(isHeld)
  }

  get queue(): Promise<Queue> {
    return this.backend.queue
  }

  flush(): Promise<void> {
    return this.backend.flush()
  }

  /** With several calls the shortest grace applies. */
  stop(graceMs: number): Promise<void> {
    const workers = this.workers.stop(graceMs)
    this.stopping ??= this.end(workers)
    return this.stopping
  }

  get isStopping(): boolean {
    return this.stopping !== null
  }

  private async end(workers: Promise<void>): Promise<void> {
    const unhandled = await this.unhandled
    unhandled?.stop()
    await workers
    this.isClosed = true
    await this.backend.close()
  }
}

export function stoppedError(): QueueError {
  return new QueueError('CLOSED', 'This tq is stopped; the job was not stored. Call init to start it again.')
}
