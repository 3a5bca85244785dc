/** Long polling for cancellations of running jobs. */
import type { CancellationsAnswer } from '../../../shared/outcomes.ts'
import type { Clock } from '../../base/clock.ts'
import type { Change, Store } from '../../store/store.ts'
import { JobWaits } from './job-waits.ts'

interface Lease {
  readonly id: string
  readonly version: number
}

export interface CancellationsParams {
  readonly worker: string
  readonly leases: readonly Lease[]
  readonly waitMs: number
  readonly signal: AbortSignal | undefined
}

export class Cancellations {
  private readonly store: Store
  private readonly waits: JobWaits
  /** The waiting call of each worker. */
  private readonly calls = new Map<string, AbortController>()

  constructor(store: Store, clock: Clock, onOccupancyChanged: () => void) {
    this.store = store
    this.waits = new JobWaits(clock, onOccupancyChanged)
  }

  get size(): number {
    return this.waits.size
  }

  /** A new call of a worker ends its previous one at once. */
  async read({ worker, leases, waitMs, signal }: CancellationsParams): Promise<CancellationsAnswer> {
    this.calls.get(worker)?.abort()
    const replaced = new AbortController()
    this.calls.set(worker, replaced)
    try {
      return await this.waits.until({
        ids: leases.map(({ id }) => id),
        waitMs,
        signal: signal ? AbortSignal.any([signal, replaced.signal]) : replaced.signal,
        read: () => this.readNow(leases),
        isFinal: ({ cancelled }) => cancelled.length > 0,
      })
    } finally {
      if (this.calls.get(worker) === replaced) this.calls.delete(worker)
    }
  }

  /** A running job that is cancelled stays `processing` until its worker settles it. */
  committed(changes: readonly Change[]): void {
    if (this.waits.size === 0) return
    for (const { id, from, to } of changes) if (from === 'processing' && to === 'processing') this.waits.changed(id)
  }

  wakeAll(): void {
    this.waits.wakeAll()
  }

  close(): void {
    this.waits.close()
  }

  private async readNow(leases: readonly Lease[]): Promise<CancellationsAnswer> {
    const versions = new Map(leases.map(({ id, version }) => [id, version]))
    const jobs = await this.store.getMany([...versions.keys()])
    const isCancelled = ({ id, status, version, cancelRequestedAt }: (typeof jobs)[number]) =>
      status === 'processing' && version === versions.get(id) && cancelRequestedAt !== null
    return { cancelled: jobs.filter(isCancelled).map(({ id }) => id) }
  }
}
