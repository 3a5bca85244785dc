/** Keeps leases alive: one call for all jobs that run, a few times per lease; it also hears what operators want. */
import { limits } from '../../shared/limits.ts'
import type { Clock, Timer } from '../clock.ts'
import type { Queue } from '../queue/queue.ts'
import { type Lease, LeaseSet } from './lease-set.ts'

/** What the queue says of the leases it was asked to extend. */
export interface Pulse {
  readonly lost: readonly Lease[]
  readonly cancelled: readonly Lease[]
  /** An operator wants this worker to finish what it has and take no more. */
  readonly draining: boolean
}

export interface Heartbeats {
  /** Nothing should be taken before: nobody would keep its lease. */
  readonly ready: Promise<void>
  hold(lease: Lease): void
  drop(lease: Lease): void
  stop(): Promise<void>
}

export interface HeartbeatParts {
  readonly queue: Pick<Queue, 'heartbeat'>
  readonly worker: string
  readonly leaseMs: number
  /** How often, with or without leases. */
  readonly beatMs: number
  readonly clock: Clock
  readonly onPulse: (pulse: Pulse) => void
  readonly onError: (error: unknown) => void
}

const BEATS_PER_LEASE = 3
/** After a call that failed: there is time for a few before the leases end. */
const RETRIES_PER_LEASE = 10

/** Often enough for the leases, and no less often than asked. */
export function beatEveryMs(leaseMs: number, askedMs = Number.POSITIVE_INFINITY): number {
  return Math.min(askedMs, leaseMs / BEATS_PER_LEASE)
}

export class HeartbeatLoop implements Heartbeats {
  readonly ready = Promise.resolve()
  private readonly parts: HeartbeatParts
  private readonly leases = new LeaseSet()
  private timer: Timer | null = null
  private beating: Promise<void> | null = null
  private stopped = false

  constructor(parts: HeartbeatParts) {
    this.parts = parts
    this.arm(parts.beatMs)
  }

  hold(lease: Lease): void {
    this.leases.add(lease)
  }

  drop(lease: Lease): void {
    this.leases.delete(lease)
  }

  async stop(): Promise<void> {
    this.stopped = true
    this.timer?.cancel()
    await this.beating
  }

  private arm(delayMs: number): void {
    if (this.stopped) return
    this.timer = this.parts.clock.after(delayMs, () => {
      this.beating = this.beat().then((nextInMs) => {
        this.beating = null
        this.arm(nextInMs)
      })
    })
  }

  /** Without leases it is asked all the same: a worker that has nothing to do may be drained too. */
  private async beat(): Promise<number> {
    const { queue, worker, leaseMs, beatMs, onPulse, onError } = this.parts
    this.dropSuperseded()
    const leases = this.leases.values()
    try {
      for (let from = 0; from === 0 || from < leases.length; from += limits.leases) {
        const some = leases.slice(from, from + limits.leases)
        const { lost, cancelled, draining } = await this.inTime(queue.heartbeat({ worker, leaseMs, leases: some }))
        const among = (ids: readonly string[]) => some.filter(({ id }) => ids.includes(id))
        for (const lease of among(lost)) this.drop(lease)
        // By version: by the time this is heard, the worker may hold a newer claim of the same job.
        onPulse({ lost: among(lost), cancelled: among(cancelled), draining })
      }
      return beatMs
    } catch (error) {
      onError(error)
      return leaseMs / RETRIES_PER_LEASE
    }
  }

  /** Responses name leases by job id, so a call never carries two versions of one job. */
  private dropSuperseded(): void {
    const lost = this.leases.superseded()
    if (lost.length === 0) return
    for (const lease of lost) this.drop(lease)
    this.parts.onPulse({ lost, cancelled: [], draining: false })
  }

  /** On a line that has gone silent no answer ever comes, and there is no time to wait for it. */
  private inTime<Answer>(call: Promise<Answer>): Promise<Answer> {
    const { clock, leaseMs } = this.parts
    return new Promise((resolve, reject) => {
      const patienceMs = leaseMs / BEATS_PER_LEASE
      const late = () => reject(new Error(`The queue did not answer a heartbeat within ${Math.round(patienceMs)} ms.`))
      const patience = clock.after(patienceMs, late)
      call.then(resolve, reject).finally(() => patience.cancel())
    })
  }
}
