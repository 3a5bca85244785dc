/** Guards for callbacks of the application: an exception in one becomes a process warning. */

export function guarded<Args extends unknown[]>(
  name: string,
  callback: (...args: Args) => void,
): (...args: Args) => void {
  return (...args) => {
    const report = (error: unknown) => process.emitWarning(`The application's ${name} threw: ${readable(error)}`)
    try {
      const called: unknown = callback(...args)
      if (called instanceof Promise) called.catch(report)
    } catch (error) {
      report(error)
    }
  }
}

/** Default of `onError`. */
export function warnOf(error: unknown): void {
  process.emitWarning(readable(error))
}

/** Converted here, inside a try: Node would convert the warning later, where an exception cannot be caught. */
function readable(error: unknown): string {
  try {
    return String(error)
  } catch {
    return 'an error whose message cannot be read'
  }
}
