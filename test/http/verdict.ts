/** What a guard says of a request. */

/** `passes`, or what the guard gave under this name, or the code of the refusal. */
export function verdict(run: () => unknown, name?: string): string {
  try {
    const given = run()
    return name === undefined ? 'passes' : String(Reflect.get(Object(given), name))
  } catch (error) {
    return error instanceof Error && 'code' in error ? String(error.code) : String(error)
  }
}
