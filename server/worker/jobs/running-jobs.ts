/** The handlers of one worker that have started and not yet returned. */
import type { ClaimedJob } from '../../../shared/job.ts'
import type { Pulse } from '../heartbeats/heartbeats.ts'
import type { Lease } from '../heartbeats/lease-set.ts'
import type { RunningJob } from './run-job.ts'

export class RunningJobs {
  /** A handler occupies its slot until it has returned, also after an abort. */
  private readonly running = new Set<RunningJob>()
  /** Those without an outcome. */
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

  /** Of handlers that have run since `startedBy` or longer, and were not asked to stop. */
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

  /** A newer claim proves that the older lease is lost, also when this worker itself holds the new one. */
  stopSuperseded(jobs: readonly ClaimedJob[]): void {
    if (this.undecided.size === 0) return
    const newest = new Map(jobs.map(({ id, version }) => [id, version]))
    for (const run of this.undecided) {
      if (run.job.version < (newest.get(run.job.id) ?? 0)) run.stop('lost')
    }
  }

  /** Aborts what a heartbeat reports as lost, cancelled or unconfirmed; `onDisconnected` is called before the abort. */
  stopReported({ lost, cancelled, expired }: Pulse, onDisconnected: (job: ClaimedJob) => void): void {
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
