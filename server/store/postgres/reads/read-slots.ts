/** Bounds the reads that run at the same time, so that commits always find a connection in the pool that both use. */
import { QueueError } from '../../../../shared/errors.ts'
import { systemClock } from '../../../base/clock.ts'

/** One for the commit under way, one for what wakes the queue: polls, due times, notifications. */
const RESERVED = 2
/** As long as a statement would wait for a connection of the pool. */
const WAIT_MS = 10_000

export class ReadSlots {
  private free: number
  private readonly waitMs: number
  private readonly waiting = new Set<() => void>()

  /** A pool too small to be divided has one slot. */
  constructor(poolSize: number, waitMs = WAIT_MS) {
    this.free = Math.max(1, poolSize - RESERVED)
    this.waitMs = waitMs
  }

  /** Reads start in the order of their calls. A read must not start another one: it would wait for itself. */
  async run<Result>(read: () => Promise<Result>): Promise<Result> {
    if (this.free > 0) this.free -= 1
    else await this.turn()
    try {
      return await read()
    } finally {
      this.passOn()
    }
  }

  private turn(): Promise<void> {
    return new Promise((resolve, reject) => {
      const begin = () => {
        timer.cancel()
        resolve()
      }
      const timer = systemClock.after(this.waitMs, () => {
        this.waiting.delete(begin)
        reject(new QueueError('BUSY', 'Too many reads are waiting for the database; try again in a moment.'))
      })
      this.waiting.add(begin)
    })
  }

  private passOn(): void {
    for (const begin of this.waiting) {
      this.waiting.delete(begin)
      begin()
      return
    }
    this.free += 1
  }
}
