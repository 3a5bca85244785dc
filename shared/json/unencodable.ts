/** Finds the path of a value that JSON.stringify rejects, for the error message. */

export interface Unencodable {
  /** Like `payload.items.3`. */
  readonly path: string
  /** Continues a sentence that starts with the path. */
  readonly reason: string
}

/** null: not found; the value can be encoded, or is nested too deeply to search. */
export function findUnencodable(value: unknown, name: string): Unencodable | null {
  try {
    return find(value, name, new Set())
  } catch {
    return null
  }
}

function find(value: unknown, path: string, above: Set<object>): Unencodable | null {
  if (typeof value === 'bigint') return { path, reason: 'is a BigInt, which JSON does not have; send it as a string' }
  if (typeof value !== 'object' || value === null) return null
  if (above.has(value)) return { path, reason: 'refers to an object that contains it; remove the reference' }
  const form = encodedForm(value, path)
  if ('reason' in form) return form
  above.add(value)
  for (const [key, inner] of entriesOf(form.value)) {
    const found = find(inner, path === '' ? key : `${path}.${key}`, above)
    if (found) return found
  }
  above.delete(value)
  return null
}

/** Applies `toJSON`, as JSON.stringify does. */
function encodedForm(value: object, path: string): { readonly value: unknown } | Unencodable {
  if (!('toJSON' in value) || typeof value.toJSON !== 'function') return { value }
  try {
    return { value: value.toJSON() }
  } catch (error) {
    return { path, reason: `cannot be written as JSON: ${error instanceof Error ? error.message : String(error)}` }
  }
}

function entriesOf(value: unknown): readonly (readonly [string, unknown])[] {
  return typeof value === 'object' && value !== null ? Object.entries(value) : []
}
