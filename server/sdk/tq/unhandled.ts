/** Looks now and then for jobs that nobody takes, and says so once for each type: a handler may have been forgotten. */
import { MINUTE } from '../../../shared/limits.ts'
import type { Timer } from '../../base/clock.ts'
import type { Queue } from '../../queue/queue.ts'
import type { Settings } from './options.ts'
import type { TaskTypes } from './task-types.ts'

export class Unhandled {
  private readonly queue: Queue
  private readonly types: TaskTypes
  private readonly settings: Settings
  private readonly isNear: boolean
  private readonly warned = new Set<string>()
  private timer: Timer | null = null
  private isStopped = false

  /** `isNear`: even a process without workers looks. */
  constructor(queue: Queue, types: TaskTypes, settings: Settings, isNear: boolean) {
    this.queue = queue
    this.types = types
    this.settings = settings
    this.isNear = isNear
    this.arm()
  }

  stop(): void {
    this.isStopped = true
    this.timer?.cancel()
  }

  private arm(): void {
    if (this.isStopped) return
    const hasWorkers = this.types.handled().length > 0
    // A process with workers goes on, also while they are paused.
    this.timer = this.settings.clock.after(this.settings.lookMs, () => void this.look(), hasWorkers)
  }

  private async look(): Promise<void> {
    try {
      if (this.isNear || this.types.handled().length > 0) await this.warn()
    } catch {
      // Nobody asked, and whoever needs the queue will hear that it is in trouble.
    }
    this.arm()
  }

  private async warn(): Promise<void> {
    const { byType } = await this.queue.stats()
    const waiting = Object.keys(byType).filter(
      (type) => (byType[type]?.pending ?? 0) > 0 && !this.types.hasHandler(type) && !this.warned.has(type),
    )
    if (waiting.length === 0) return
    const taken = await this.takenElsewhere()
    for (const type of waiting) {
      if (this.isStopped || taken(type)) continue
      this.warned.add(type)
      this.settings.onWarning(
        `Jobs of type ${type} wait, and no worker takes them. Give them one with tq('${type}').setWorker(…), here or in another process.`,
      )
    }
  }

  /** Workers of other processes, and types that are not for workers like these. */
  private async takenElsewhere(): Promise<(type: string) => boolean> {
    const [types, workers] = await Promise.all([this.queue.types(), this.queue.workers()])
    const now = this.settings.clock.now()
    const alive = workers.filter(({ seenAt }) => now - seenAt < MINUTE)
    const isJob = (type: string) => types.some(({ name, kind }) => name === type && kind === 'job')
    return (type) => !isJob(type) || alive.some((one) => one.types.length === 0 || one.types.includes(type))
  }
}
