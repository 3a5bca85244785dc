/** Wraps a store: counts its calls, and can delay or fail its commits. */
import type { Op, OpKind } from '../../../server/store/ops.ts'
import type { Commit, Store } from '../../../server/store/store.ts'
import { underWay } from '../test-clock.ts'

export interface Probe extends Store {
  /** The operations of every attempted commit, in order. */
  readonly tried: readonly (readonly Op[])[]
  /** The operations of every successful commit. */
  readonly committed: readonly (readonly Op[])[]
  /** How often each method was called. */
  calls(method: keyof Store): number
  /** Number of committed operations of a kind. */
  count(kind: OpKind): number
  /** Called before every commit; a returned error is thrown instead. */
  fault: ((ops: readonly Op[]) => Error | null) | null
  /** Commits still happen, but their results wait for `letGo`. */
  hold(): void
  letGo(): void
  /** Maximum number of concurrent commits. */
  readonly overlap: number
  reset(): void
}

export function probeStore(store: Store): Probe {
  const tried: (readonly Op[])[] = []
  const committed: (readonly Op[])[] = []
  const called = new Map<PropertyKey, number>()
  let gate: Promise<void> | null = null
  let openGate = () => {}
  let [inside, overlap] = [0, 0]

  async function commit(ops: readonly Op[]): Promise<Commit> {
    tried.push(ops)
    overlap = Math.max(overlap, ++inside)
    try {
      const error = own.fault?.(ops)
      if (error) throw error
      const result = await watched(() => store.commit(ops))
      committed.push(ops)
      await gate
      return result
    } finally {
      inside -= 1
    }
  }

  const own: Omit<Probe, Exclude<keyof Store, 'commit'>> = {
    tried,
    committed,
    commit,
    fault: null,
    hold() {
      gate = new Promise((resolve) => {
        openGate = resolve
      })
    },
    letGo() {
      gate = null
      openGate()
    },
    get overlap() {
      return overlap
    },
    calls: (method) => called.get(method) ?? 0,
    count: (kind) => committed.flat().filter((op) => op.kind === kind).length,
    reset() {
      tried.length = 0
      committed.length = 0
      called.clear()
    },
  }

  return new Proxy(store, {
    get(target, name) {
      const owned = Object.hasOwn(own, name)
      const value: unknown = Reflect.get(owned ? own : target, name)
      if (typeof value !== 'function' || (owned && name !== 'commit')) return value
      return (...args: readonly unknown[]) => {
        called.set(name, (called.get(name) ?? 0) + 1)
        const call = () => Reflect.apply(value, target, args)
        // A held commit is finished in the database and only waits for the test.
        return name === 'commit' ? call() : watched(call)
      }
    },
    set: (_, name, value) => Reflect.set(own, name, value),
  }) as Probe
}

/** Counts a call as pending until it settles. */
function watched<Result>(call: () => Result): Result {
  const result = call()
  if (!(result instanceof Promise)) return result
  underWay.calls += 1
  const done = () => {
    underWay.calls -= 1
  }
  result.then(done, done)
  return result
}
