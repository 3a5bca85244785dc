/** The ticker: enqueues the jobs of due schedules. Any number of nodes may run it: a commit processes a tick only once. */
import type { OpValue } from '../../store/ops.ts'
import type { Store } from '../../store/store.ts'
import type { GroupCommit } from '../commit/group-commit.ts'
import type { EventLog } from '../events.ts'
import { type Clocks, DueTimer } from '../services/due-timer.ts'
import type { Service } from '../services/service.ts'
import { planTick } from './plan-tick.ts'

/** Schedules in one turn of the event loop: about 5 ms with ten thousand schedules due in the same minute. */
export const TURN_SCHEDULES = 50
/** Ticks of one schedule in one turn, with `catchUp: 'all'`. */
export const TURN_TICKS = 20
/** Ticks wait for a trusted clock, or another node has just processed them. */
export const RETRY_MS = 1_000

export interface TickerParts {
  readonly store: Store
  readonly commits: GroupCommit
  readonly events: Pick<EventLog, 'emit'>
  readonly clocks: Clocks
  readonly maxPayloadBytes: number
  readonly onError: (error: unknown) => void
}

export class Ticker implements Service {
  private readonly store: Store
  private readonly commits: GroupCommit
  private readonly events: TickerParts['events']
  private readonly maxPayloadBytes: number
  private readonly timer: DueTimer

  constructor({ store, commits, events, clocks, maxPayloadBytes, onError }: TickerParts) {
    this.store = store
    this.commits = commits
    this.events = events
    this.maxPayloadBytes = maxPayloadBytes
    this.timer = new DueTimer(clocks, () => this.work(), onError)
  }

  start(): void {
    if (this.timer.start()) this.timer.armIn(0)
  }

  stop(): Promise<void> {
    return this.timer.stop()
  }

  /** Call when a schedule has changed. */
  dueAt(at: number | null): void {
    this.timer.armAt(at)
  }

  /** Returns when the next schedule is due. Without schedules this is one read every 30 seconds. */
  private async work(): Promise<number | null> {
    for (;;) {
      const next = await this.store.nextScheduleAt()
      if (next === null || !this.timer.isActive) return null
      const now = await this.store.now()
      if (next > now) return next
      if (!(await this.turn(now))) return now + RETRY_MS
      // Yields to the event loop, so that claims and completions wait for at most one turn.
      await new Promise(setImmediate)
    }
  }

  /** False: none of the due ticks could be processed. */
  private async turn(now: number): Promise<boolean> {
    const due = await this.store.dueSchedules({ now, limit: TURN_SCHEDULES })
    const ops = due.flatMap((row) => planTick(row, now, TURN_TICKS, this.maxPayloadBytes) ?? [])
    if (ops.length === 0) return false
    const outcomes = await Promise.allSettled(ops.map((op) => this.commits.submit<'schedule'>(op)))
    const failed = outcomes.find(({ status }) => status === 'rejected')
    const done = outcomes.flatMap((outcome) => (outcome.status === 'fulfilled' ? outcome.value : []))
    if (done.some(changedNoJob)) this.events.emit({ kind: 'schedules', at: now })
    if (failed?.status === 'rejected') throw failed.reason
    return done.some(({ changed }) => changed)
  }
}

/** Skipped, missed and rejected ticks enqueue nothing, so no event about jobs is emitted. */
function changedNoJob({ changed, ticks }: OpValue<'schedule'>): boolean {
  return changed && !ticks.some(({ outcome }) => outcome === 'enqueued')
}
