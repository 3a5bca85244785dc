/** A store that counts what it is asked and can be told to fail: nothing else about it differs from the real one. */
import type { Op, OpKind } from '../../server/store/ops.ts'
import type { Commit, Store } from '../../server/store/store.ts'
import { underWay } from './test-clock.ts'

export interface Probe extends Store {
  /** The operations of every commit that was tried, in order. */
  readonly tried: readonly (readonly Op[])[]
  /** Those that went through. */
  readonly committed: readonly (readonly Op[])[]
  /** How often each method was called. */
  calls(method: keyof Store): number
  /** How many operations of a kind went through. */
  count(kind: OpKind): number
  /** Asked before every commit: an error it gives is thrown in its place. */
  fault: ((ops: readonly Op[]) => Error | null) | null
  /** Commits still happen, their answers wait for `letGo`. */
  hold(): void
  letGo(): void
  /** The most commits that were ever under way at once. */
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
        const ask = () => Reflect.apply(value, target, args)
        // A commit that is held has been answered by the database, and waits for the test alone.
        return name === 'commit' ? ask() : watched(ask)
      }
    },
    set: (_, name, value) => Reflect.set(own, name, value),
  }) as Probe
}

/** Counts a call as under way until the database has answered. */
function watched<Answer>(ask: () => Answer): Answer {
  const answer = ask()
  if (!(answer instanceof Promise)) return answer
  underWay.calls += 1
  const done = () => {
    underWay.calls -= 1
  }
  answer.then(done, done)
  return answer
}
