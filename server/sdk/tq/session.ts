/** One life of a `tq`, from `init` to `stop`. */
import type { EnqueueInput } from '../../../shared/contracts/produce.ts'
import { QueueError } from '../../../shared/errors.ts'
import type { EnqueueResult } from '../../../shared/job.ts'
import type { Queue } from '../../queue/queue.ts'
import type { Home } from './backend.ts'
import type { Settings } from './options.ts'
import type { TaskTypes } from './task-types.ts'
import { Unhandled } from './unhandled.ts'
import { Workers } from './workers.ts'

export class Session {
  private readonly home: Home<unknown>
  private readonly workers: Workers
  private readonly unhandled: Promise<Unhandled | null>
  private isClosed = false
  private stopping: Promise<void> | null = null

  constructor(home: Home<unknown>, types: TaskTypes, settings: Settings, isHeld: boolean) {
    this.home = home
    this.workers = new Workers(home.queue, types, settings, isHeld)
    this.unhandled = home.queue.then(
      (queue) => new Unhandled(queue, types, settings, home.isNear),
      () => null,
    )
    this.workers.changed()
  }

  /** Handlers that finish while it stops may still add. */
  add(input: EnqueueInput): EnqueueResult | Promise<EnqueueResult> {
    if (this.isClosed) throw stopped()
    return this.home.add(input)
  }

  /** What is said after the end is for the next beginning. */
  changed(): void {
    this.workers.changed()
  }

  hold(isHeld: boolean): void {
    this.workers.hold(isHeld)
  }

  get queue(): Promise<Queue> {
    return this.home.queue
  }

  flush(): Promise<void> {
    return this.home.flush()
  }

  /** Asked again, the shortest grace counts. */
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
    await this.home.close()
  }
}

export function stopped(): QueueError {
  return new QueueError('CLOSED', 'This tq has been stopped; nothing was stored. Begin again with init.')
}
