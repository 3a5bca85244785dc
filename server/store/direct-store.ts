/** A store that can also be called synchronously. SQLite is one. */
import type { Op } from './ops.ts'
import type { Commit, DueTimes, Reads, Store } from './store.ts'

type Synchronous<Name extends keyof Reads> = (...args: Parameters<Reads[Name]>) => Awaited<ReturnType<Reads[Name]>>

export interface DirectStore extends Store {
  /** `commit`, synchronously. Blocks the thread for up to a few seconds while another process writes. */
  commitNow(ops: readonly Op[]): Commit
  readonly getNow: Synchronous<'get'>
  readonly listNow: Synchronous<'list'>
  readonly attemptsNow: Synchronous<'attempts'>
  readonly countsNow: Synchronous<'counts'>
  readonly typesNow: Synchronous<'types'>
  nextDueNow(): DueTimes
  readonly dueSchedulesNow: Synchronous<'dueSchedules'>
  readonly nextScheduleNow: Synchronous<'nextScheduleAt'>
}
