/** A store wrapper: after the first `StoreFailed` every call fails, and the engine ends. */
import type { QueueError } from '../../../shared/errors.ts'
import { intercept } from '../../store/intercept.ts'
import { type Store, StoreFailed } from '../../store/store.ts'

/** Not wrapped: group commit handles failures of writes for the whole batch, and a hint needs no result. */
const PASS_THROUGH: ReadonlySet<PropertyKey> = new Set(['commit', 'commitNow', 'hint', 'close'])

export interface Failures {
  readonly failure: QueueError | null
  fail(error: StoreFailed): QueueError
}

/** `failures` is a getter because group commit is created after this store, on top of it. */
export function failingStore<S extends Store>(store: S, failures: () => Failures): S {
  return intercept(store, PASS_THROUGH, {
    before() {
      const { failure } = failures()
      if (failure) throw failure
    },
    failed: (error) => (error instanceof StoreFailed ? failures().fail(error) : error),
  })
}
