/** The store's reads as SQLite answers them: at once. */
import type { Reads } from '../../store.ts'

export type SyncReads = {
  readonly [Name in keyof Reads]: (...args: Parameters<Reads[Name]>) => Awaited<ReturnType<Reads[Name]>>
}
