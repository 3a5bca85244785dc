/** Releases jobs that have waited too long for a slot, from the heartbeat thread while a handler blocks its own thread. */
import { QueueError } from '../../../shared/errors.ts'
import type { Queue } from '../../../shared/queue.ts'
import type { Clock, Timer } from '../../base/clock.ts'
import { releaseWaiting } from './shared-leases.ts'

/** A job that has waited so long for a slot is released by its worker. */
export const MAX_WAIT_MS = 1_000
/** The thread releases what the worker has not released so much later. */
const BLOCKED_MS = 250
const CHECK_EVERY_MS = 250

export interface LateReleasesOptions {
  readonly queue: Pick<Queue, 'release'>
  /** The memory of `SharedLeases`. */
  readonly leases: SharedArrayBuffer
  readonly clock: Clock
  readonly onError: (error: unknown) => void
}

export class LateReleases {
  private readonly options: LateReleasesOptions
  /** Marks whose release is in flight or recorded. Others are released again, also by a restarted thread. */
  private readonly sent = new Set<number>()
  private readonly inFlight = new Set<Promise<void>>()
  private isFailing = false
  private timer: Timer | null = null

  constructor(options: LateReleasesOptions) {
    this.options = options
    this.checkLater()
  }

  /** Also called before each heartbeat, so that it does not extend the leases of these jobs. */
  check(): void {
    const { leases, clock } = this.options
    const released = releaseWaiting(leases, clock.monotonic() - MAX_WAIT_MS - BLOCKED_MS)
    const marks = new Set(released.map(({ mark }) => mark))
    for (const mark of this.sent) if (!marks.has(mark)) this.sent.delete(mark)
    for (const { id, version, mark } of released) {
      if (this.sent.has(mark)) continue
      this.sent.add(mark)
      const call = this.release(id, version, mark).finally(() => this.inFlight.delete(call))
      this.inFlight.add(call)
    }
  }

  async stop(): Promise<void> {
    this.timer?.cancel()
    await Promise.all(this.inFlight)
  }

  private checkLater(): void {
    this.timer = this.options.clock.after(CHECK_EVERY_MS, () => {
      this.checkLater()
      this.check()
    })
  }

  /** A failed call is repeated at the next check. One error is reported until a call succeeds. */
  private async release(id: string, version: number, mark: number): Promise<void> {
    try {
      await this.options.queue.release({ id, version })
      this.isFailing = false
    } catch (error) {
      // The lease is lost: there is nothing to release.
      if (error instanceof QueueError && (error.code === 'STALE_CLAIM' || error.code === 'NOT_FOUND')) return
      this.sent.delete(mark)
      if (!this.isFailing) this.options.onError(error)
      this.isFailing = true
    }
  }
}
