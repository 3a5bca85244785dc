/** Callbacks that an application gives: what they throw is a process warning, and ends neither the process nor its jobs. */

export function guarded<Given extends unknown[]>(
  name: string,
  callback: (...given: Given) => void,
): (...given: Given) => void {
  return (...given) => {
    const report = (error: unknown) => process.emitWarning(`The application's ${name} threw: ${readable(error)}`)
    try {
      const called: unknown = callback(...given)
      if (called instanceof Promise) called.catch(report)
    } catch (error) {
      report(error)
    }
  }
}

/** For an application that gives no `onError`. */
export function warnOf(error: unknown): void {
  process.emitWarning(readable(error))
}

/** Node reads a warning later, when nothing could catch what that throws. */
function readable(error: unknown): string {
  try {
    return String(error)
  } catch {
    return 'an error whose message cannot be read'
  }
}
