/** Running handlers of one worker. */
import type { ClaimedJob } from '../../../shared/job.ts'
import type { HeartbeatReport } from '../heartbeats/heartbeats.ts'
import type { Lease } from '../heartbeats/lease-set.ts'
import type { RunningJob } from './run-job.ts'

export class RunningJobs {
  /** A handler occupies its slot until it has returned, also after an abort. */
  private readonly running = new Set<RunningJob>()
  /** Handlers without an outcome. */
  private readonly undecided = new Set<RunningJob>()

  /** Handlers that have not returned. */
  get size(): number {
    return this.running.size
  }

  get undecidedSize(): number {
    return this.undecided.size
  }

  add(run: RunningJob): void {
    this.running.add(run)
    this.undecided.add(run)
  }

  /** Leases of handlers that started at `startedBy` or earlier and are not aborted. */
  leasesSince(startedBy: number): readonly Lease[] {
    return [...this.undecided].filter((run) => !run.isAborted && run.startedAt <= startedBy).map(({ lease }) => lease)
  }

  decided(run: RunningJob): void {
    this.undecided.delete(run)
  }

  returned(run: RunningJob): void {
    this.running.delete(run)
  }

  shutDown(): void {
    for (const run of this.undecided) run.stop('shutdown')
  }

  /** A newer claim proves that the older lease is lost, also when this worker holds the new one. */
  stopSuperseded(jobs: readonly ClaimedJob[]): void {
    if (this.undecided.size === 0) return
    const newest = new Map(jobs.map(({ id, version }) => [id, version]))
    for (const run of this.undecided) {
      if (run.job.version < (newest.get(run.job.id) ?? 0)) run.stop('lost')
    }
  }

  /** Aborts jobs that a heartbeat reports as lost, cancelled or unconfirmed. `onDisconnected` is called before the abort. */
  stopReported({ lost, cancelled, expired }: HeartbeatReport, onDisconnected: (job: ClaimedJob) => void): void {
    for (const run of this.undecided) {
      const isRun = ({ id, version }: Lease) => id === run.job.id && version === run.job.version
      if (lost.some(isRun)) run.stop('lost')
      else if (cancelled.some(isRun)) run.stop('cancelled')
      else if (expired.some(isRun)) {
        onDisconnected(run.job)
        run.stop('disconnected')
      }
    }
  }
}
