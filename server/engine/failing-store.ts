/** A store whose failure is final: the first call that meets one ends the engine, and no later call reads from the store. */
import type { QueueError } from '../../shared/errors.ts'
import { type Store, StoreFailed } from '../store/store.ts'

/** Writes are left to group commit, which also answers the callers that wait in the same batch; a hint asks for nothing. */
const LEFT_ALONE: ReadonlySet<string | symbol> = new Set(['commit', 'commitNow', 'hint', 'close'])

export interface Failures {
  readonly failure: QueueError | null
  fail(error: StoreFailed): QueueError
}

/** `failures` is asked for at each call, because group commit is made on the store that this returns. */
export function failingStore<S extends Store>(store: S, failures: () => Failures): S {
  const guarded = new Map<string | symbol, unknown>()

  function guard(method: (...args: unknown[]) => unknown): (...args: unknown[]) => unknown {
    const refuse = (error: unknown): never => {
      throw error instanceof StoreFailed ? failures().fail(error) : error
    }
    return (...args) => {
      const { failure } = failures()
      if (failure) throw failure
      try {
        const answer = Reflect.apply(method, store, args)
        return answer instanceof Promise ? answer.catch(refuse) : answer
      } catch (error) {
        return refuse(error)
      }
    }
  }

  return new Proxy(store, {
    get(target, name) {
      const value: unknown = Reflect.get(target, name)
      if (!isMethod(value) || LEFT_ALONE.has(name)) return value
      const known = guarded.get(name)
      if (known) return known
      const made = guard(value)
      guarded.set(name, made)
      return made
    },
  })
}

function isMethod(value: unknown): value is (...args: unknown[]) => unknown {
  return typeof value === 'function'
}
