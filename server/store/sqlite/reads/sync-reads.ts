/** The reads of a store as synchronous functions. */
import type { Reads } from '../../store.ts'

export type SyncReads = {
  readonly [Name in keyof Reads]: (...args: Parameters<Reads[Name]>) => Awaited<ReturnType<Reads[Name]>>
}
