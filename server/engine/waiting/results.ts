/** Long polling for the outcomes of jobs. */
import type { JobOutcome, ResultsAnswer } from '../../../shared/outcomes.ts'
import { isTerminal } from '../../../shared/status.ts'
import type { Clock } from '../../base/clock.ts'
import type { Change, Store } from '../../store/store.ts'
import { JobWaits } from './job-waits.ts'

export class Results {
  private readonly store: Store
  private readonly waits: JobWaits

  constructor(store: Store, clock: Clock, onOccupancyChanged: () => void) {
    this.store = store
    this.waits = new JobWaits(clock, onOccupancyChanged)
  }

  get size(): number {
    return this.waits.size
  }

  /** Resolves when at least one of the jobs has finished, or after `waitMs`. */
  read(ids: readonly string[], waitMs: number, signal: AbortSignal | undefined): Promise<ResultsAnswer> {
    return this.waits.until({
      ...{ ids, waitMs, signal },
      read: () => this.readNow(ids),
      isFinal: ({ outcomes }) => outcomes.length > 0,
    })
  }

  committed(changes: readonly Change[]): void {
    if (this.waits.size === 0) return
    for (const { id, to } of changes) if (to === null || isTerminal(to)) this.waits.changed(id)
  }

  wakeAll(): void {
    this.waits.wakeAll()
  }

  /** Resolves every waiting call with the current outcomes. */
  close(): void {
    this.waits.close()
  }

  private async readNow(ids: readonly string[]): Promise<ResultsAnswer> {
    const jobs = new Map((await this.store.getMany(ids)).map((job) => [job.id, job]))
    const results = await this.store.results(ids)
    const outcomes: JobOutcome[] = []
    const notYet: string[] = []
    for (const id of ids) {
      const job = jobs.get(id)
      if (!job) outcomes.push({ id, status: 'missing' })
      else if (!isTerminal(job.status)) notYet.push(id)
      else if (job.status === 'completed') outcomes.push({ id, status: 'completed', result: results.get(id) ?? null })
      else outcomes.push({ id, status: job.status, error: job.error })
    }
    return { outcomes, notYet }
  }
}
