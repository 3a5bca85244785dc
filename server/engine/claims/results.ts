/** Answers "how did these jobs end?", now or as soon as one of them does. */
import { isTerminal, type TerminalStatus } from '../../../shared/status.ts'
import type { Clock } from '../../base/clock.ts'
import type { Change, Store } from '../../store/store.ts'
import { JobWaits } from './job-waits.ts'

/** How a job ended: `completed` with its result, `failed` or `cancelled` with its error, or `missing`. */
export type JobOutcome =
  | { readonly id: string; readonly status: 'completed'; readonly result: unknown }
  | { readonly id: string; readonly status: Exclude<TerminalStatus, 'completed'>; readonly error: string | null }
  /** Unknown, or removed since. */
  | { readonly id: string; readonly status: 'missing' }

/** The outcomes of the jobs that have ended, and the ids of the others. */
export interface ResultsAnswer {
  /** The jobs that have ended. */
  readonly outcomes: readonly JobOutcome[]
  /** Ids that have not ended yet. */
  readonly notYet: readonly string[]
}

export class Results {
  private readonly store: Store
  private readonly waits: JobWaits

  constructor(store: Store, clock: Clock, occupied: () => void) {
    this.store = store
    this.waits = new JobWaits(clock, occupied)
  }

  get size(): number {
    return this.waits.size
  }

  /** Comes back as soon as at least one of the jobs has ended, or after `waitMs`. */
  read(ids: readonly string[], waitMs: number, signal: AbortSignal | undefined): Promise<ResultsAnswer> {
    return this.waits.until({
      ...{ ids, waitMs, signal },
      read: () => this.readNow(ids),
      isEnough: ({ outcomes }) => outcomes.length > 0,
    })
  }

  committed(changes: readonly Change[]): void {
    if (this.waits.size === 0) return
    for (const { id, to } of changes) if (to === null || isTerminal(to)) this.waits.changed(id)
  }

  wakeAll(): void {
    this.waits.wakeAll()
  }

  /** Answers everyone with what is known. */
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
