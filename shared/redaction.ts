/** Rules such as `payload.card.*` for values that are not to be seen, and documents without those. */

/** Where a document hangs in a job. */
export type Root = 'payload' | 'result'

/** Shown instead of a value. */
export const REDACTED = '••••'

/** So many at once. */
export const MAX_RULES = 100
const PART = /^(?:\*\*?|[^\s.*]+)$/

/** What is wrong with a rule, in words; null: nothing. */
export function ruleProblem(rule: string): string | null {
  const [root, ...parts] = rule.split('.')
  if (root !== 'payload' && root !== 'result') return 'A rule begins with payload or result, such as payload.card.*'
  if (parts.length === 0) return null
  return parts.every((part) => PART.test(part)) ? null : 'Between the dots: a name, * for any one, or ** for any depth.'
}

/** Whether the value at this place, `['payload', 'card', 'number']`, is hidden, by itself or with what it is part of. */
export function isRedacted(path: readonly string[], rules: readonly string[]): boolean {
  return rules.some((rule) => matches(rule.split('.'), path))
}

/** The document with what is hidden replaced; the very same one where nothing is. */
export function redact(document: unknown, root: Root, rules: readonly string[]): unknown {
  const patterns = rules.map((rule) => rule.split('.')).filter(([first]) => first === root)
  return patterns.length === 0 ? document : walk(document, [root], patterns)
}

function walk(value: unknown, path: readonly string[], patterns: readonly (readonly string[])[]): unknown {
  if (patterns.some((pattern) => matchesWhole(pattern, path))) return REDACTED
  if (typeof value !== 'object' || value === null) return value
  const before = Object.entries(value)
  const after = before.map(([key, item]) => walk(item, [...path, key], patterns))
  if (after.every((item, place) => item === before[place]?.[1])) return value
  return Array.isArray(value) ? after : Object.fromEntries(before.map(([key], place) => [key, after[place]]))
}

/**
 * Puts back what was hidden, wherever the dots still stand at their place. In a list that somebody has changed, nobody knows whose
 * dots are whose: there they stay, and `hasRedacted` finds them.
 */
export function unredact(edited: unknown, shown: unknown, original: unknown): unknown {
  if (JSON.stringify(edited) === JSON.stringify(shown)) return original
  if (!isObject(edited) || !isObject(shown) || !isObject(original)) return edited
  return Object.fromEntries(
    Object.entries(edited).map(([key, item]) => [
      key,
      Object.hasOwn(shown, key) ? unredact(item, shown[key], original[key]) : item,
    ]),
  )
}

export function hasRedacted(value: unknown): boolean {
  if (typeof value === 'string') return value.includes(REDACTED)
  if (typeof value !== 'object' || value === null) return false
  return Object.values(value).some(hasRedacted)
}

function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

function matches(pattern: readonly string[], path: readonly string[]): boolean {
  return path.some((_, end) => matchesWhole(pattern, path.slice(0, end + 1)))
}

function matchesWhole([part, ...rest]: readonly string[], path: readonly string[]): boolean {
  if (part === undefined) return path.length === 0
  if (part === '**') return path.some((_, place) => matchesWhole(rest, path.slice(place))) || rest.length === 0
  const [first, ...below] = path
  return first !== undefined && (part === '*' || part === first) && matchesWhole(rest, below)
}
