/** Warns once per type about waiting jobs that no worker handles. */

import { MINUTE } from '../../../shared/limits.ts'
import type { Queue } from '../../../shared/queue.ts'
import type { Timer } from '../../base/clock.ts'
import type { Settings } from './options.ts'
import type { TaskTypes } from './task-types.ts'

export interface UnhandledTypesOptions {
  readonly queue: Queue
  readonly types: TaskTypes
  readonly settings: Settings
  /** Reads are cheap: processes without workers check too. */
  readonly isLocal: boolean
}

export class UnhandledTypes {
  private readonly options: UnhandledTypesOptions
  private readonly warned = new Set<string>()
  private timer: Timer | null = null
  private isStopped = false

  constructor(options: UnhandledTypesOptions) {
    this.options = options
    this.arm()
  }

  stop(): void {
    this.isStopped = true
    this.timer?.cancel()
  }

  private arm(): void {
    if (this.isStopped) return
    const hasWorkers = this.options.types.handled().length > 0
    // The timer keeps a process with workers alive, also while they are paused.
    this.timer = this.options.settings.clock.after(
      this.options.settings.unhandledCheckMs,
      () => void this.check(),
      hasWorkers,
    )
  }

  private async check(): Promise<void> {
    try {
      if (this.options.isLocal || this.options.types.handled().length > 0) await this.warn()
    } catch {
      // Errors of the queue are reported by the workers.
    }
    this.arm()
  }

  private async warn(): Promise<void> {
    const { byType } = await this.options.queue.stats()
    const waiting = Object.keys(byType).filter(
      (type) => (byType[type]?.pending ?? 0) > 0 && !this.options.types.hasHandler(type) && !this.warned.has(type),
    )
    if (waiting.length === 0) return
    const isHandled = await this.handledElsewhere()
    for (const type of waiting) {
      if (this.isStopped || isHandled(type)) continue
      this.warned.add(type)
      this.options.settings.onWarning(
        `Jobs of type ${type} are waiting and no worker handles them. Add one with tq('${type}').setWorker(…), here or in another process.`,
      )
    }
  }

  /** Types that workers of other processes handle, and types of another kind. */
  private async handledElsewhere(): Promise<(type: string) => boolean> {
    const [types, workers] = await Promise.all([this.options.queue.types(), this.options.queue.workers()])
    const now = this.options.settings.clock.now()
    const online = workers.filter(({ seenAt }) => now - seenAt < MINUTE)
    const isJob = (type: string) => types.some(({ name, kind }) => name === type && kind === 'job')
    return (type) => !isJob(type) || online.some((worker) => worker.types.length === 0 || worker.types.includes(type))
  }
}
