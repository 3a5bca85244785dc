/** A store whose failure is final: the first call that meets one ends the engine, and no later call reads from the store. */
import type { QueueError } from '../../../shared/errors.ts'
import { intercept } from '../../store/intercept.ts'
import { type Store, StoreFailed } from '../../store/store.ts'

/** Writes are left to group commit, which also answers the callers that wait in the same batch; a hint asks for nothing. */
const LEFT_ALONE: ReadonlySet<PropertyKey> = new Set(['commit', 'commitNow', 'hint', 'close'])

export interface Failures {
  readonly failure: QueueError | null
  fail(error: StoreFailed): QueueError
}

/** `failures` is asked for at each call, because group commit is made on the store that this returns. */
export function failingStore<S extends Store>(store: S, failures: () => Failures): S {
  return intercept(store, LEFT_ALONE, {
    before() {
      const { failure } = failures()
      if (failure) throw failure
    },
    failed: (error) => (error instanceof StoreFailed ? failures().fail(error) : error),
  })
}
