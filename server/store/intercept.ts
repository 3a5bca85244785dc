/** An object whose calls pass through two hooks: one before each call, one for each error that a call ends with. */

export interface Hooks {
  /** May throw, and then nothing is called. */
  before?(): void
  /** Gives the error that the caller gets. */
  failed(error: unknown): unknown
}

/** Methods named in `leftAlone`, and properties that are no methods, stay as they are. */
export function intercept<T extends object>(target: T, leftAlone: ReadonlySet<PropertyKey>, hooks: Hooks): T {
  const made = new Map<PropertyKey, unknown>()

  function around(method: (...args: unknown[]) => unknown): (...args: unknown[]) => unknown {
    const refuse = (error: unknown): never => {
      throw hooks.failed(error)
    }
    return (...args) => {
      hooks.before?.()
      try {
        const answer = Reflect.apply(method, target, args)
        return answer instanceof Promise ? answer.catch(refuse) : answer
      } catch (error) {
        return refuse(error)
      }
    }
  }

  return new Proxy(target, {
    get(_, name) {
      const value: unknown = Reflect.get(target, name)
      if (!isMethod(value) || leftAlone.has(name)) return value
      const known = made.get(name)
      if (known) return known
      const intercepted = around(value)
      made.set(name, intercepted)
      return intercepted
    },
  })
}

function isMethod(value: unknown): value is (...args: unknown[]) => unknown {
  return typeof value === 'function'
}
