/** Result of an auth check as text, for tables of cases. */

/** `passes`, the value of property `name` in the result, or the code of the error. */
export function verdict(run: () => unknown, name?: string): string {
  try {
    const given = run()
    return name === undefined ? 'passes' : String(Reflect.get(Object(given), name))
  } catch (error) {
    return error instanceof Error && 'code' in error ? String(error.code) : String(error)
  }
}
