/** Messages between the main thread and the reader thread. */
import { type ErrorCode, QueueError } from '../../../../shared/errors.ts'
import type { Defaults } from '../../../../shared/settings/settings.ts'
import { StoreFailed } from '../../store.ts'
import { damagedRead, isDamage } from '../connection/sqlite-errors.ts'
import type { SyncReads } from '../reads/sync-reads.ts'

export type ThreadReads = Pick<
  SyncReads,
  | ('list' | 'match' | 'countMatches' | 'failureGroups' | 'minutes' | 'activity' | 'depths' | 'oldestReady')
  | ('groupTotals' | 'groupKeys')
>
export type ThreadMethod = keyof ThreadReads

export interface ThreadData {
  readonly file: string
  readonly defaults: Defaults
  readonly searchBudgetMs: number
}

export type ReadParams<Method extends ThreadMethod> = Parameters<ThreadReads[Method]>[0]
export type ReadResult<Method extends ThreadMethod> = ReturnType<ThreadReads[Method]>

/** Includes `now`: the clock belongs to the main thread. */
export interface RequestOf<Method extends ThreadMethod> {
  readonly id: number
  readonly now: number
  readonly method: Method
  readonly params: ReadParams<Method>
}

export type Request = { [Method in ThreadMethod]: RequestOf<Method> }[ThreadMethod]

export type Response =
  | { readonly id: number; readonly ok: true; readonly value: unknown }
  | { readonly id: number; readonly ok: false; readonly error: ErrorData }

/** An error as data: structured cloning loses its class. */
export interface ErrorData {
  readonly code: ErrorCode | null
  /** The file is damaged: the store has failed. */
  readonly isDamage: boolean
  readonly message: string
  readonly details: Readonly<Record<string, unknown>>
}

export function toErrorData(error: unknown): ErrorData {
  if (error instanceof QueueError) {
    return { code: error.code, isDamage: false, message: error.message, details: error.details }
  }
  const message = error instanceof Error ? error.message : String(error)
  return { code: null, isDamage: isDamage(error), message, details: {} }
}

export function fromErrorData({ code, isDamage, message, details }: ErrorData): Error {
  if (isDamage) return new StoreFailed(damagedRead(message))
  return code === null ? new Error(`A read failed: ${message}`) : new QueueError(code, message, details)
}
