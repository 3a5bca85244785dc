/** Proxy of an object that runs a hook before each call and another for each error. */

export interface Hooks {
  /** May throw: then the method is not called. */
  before?(): void
  /** Returns the error that the caller gets. */
  failed(error: unknown): unknown
}

/** Does not change the methods in `excluded`, nor other properties. */
export function intercept<T extends object>(target: T, excluded: ReadonlySet<PropertyKey>, hooks: Hooks): T {
  const cache = new Map<PropertyKey, unknown>()

  function around(method: (...args: unknown[]) => unknown): (...args: unknown[]) => unknown {
    const rethrow = (error: unknown): never => {
      throw hooks.failed(error)
    }
    return (...args) => {
      hooks.before?.()
      try {
        const result = Reflect.apply(method, target, args)
        return result instanceof Promise ? result.catch(rethrow) : result
      } catch (error) {
        return rethrow(error)
      }
    }
  }

  return new Proxy(target, {
    get(_, name) {
      const value: unknown = Reflect.get(target, name)
      if (!isMethod(value) || excluded.has(name)) return value
      const cached = cache.get(name)
      if (cached) return cached
      const intercepted = around(value)
      cache.set(name, intercepted)
      return intercepted
    },
  })
}

function isMethod(value: unknown): value is (...args: unknown[]) => unknown {
  return typeof value === 'function'
}
