/** A store in this very process: it answers without a promise those who cannot wait for one. SQLite is one. */
import type { Op } from './ops.ts'
import type { Commit, DueTimes, Reads, Store } from './store.ts'

type AtOnce<Name extends keyof Reads> = (...args: Parameters<Reads[Name]>) => Awaited<ReturnType<Reads[Name]>>

export interface DirectStore extends Store {
  /** `commit`, but it has happened on return. Others who write are waited for, a few seconds, with the whole thread. */
  commitNow(ops: readonly Op[]): Commit
  readonly getNow: AtOnce<'get'>
  readonly listNow: AtOnce<'list'>
  readonly attemptsNow: AtOnce<'attempts'>
  readonly countsNow: AtOnce<'counts'>
  readonly typesNow: AtOnce<'types'>
  nextDueNow(): DueTimes
}
