/** Redacts values of payloads and results by rules such as `payload.card.*`. */

import { isObject } from '../json/is-object.ts'
import { followRules, type Place } from './redaction-rules.ts'

/** The document that a path starts from. */
export type Root = 'payload' | 'result'

/** Shown instead of a value. */
export const REDACTED = '••••'

/** Maximum number of rules. */
export const MAX_RULES = 100
/** Names in one rule. With 100 rules of this length the worst document of 1 MiB takes one second. */
const MAX_PARTS = 8
const PART = /^(?:\*\*?|[^\s.*[\]]+)$/

/** Error message for an invalid rule; null: valid. */
export function ruleProblem(rule: string): string | null {
  const [root, ...parts] = rule.split('.')
  if (root !== 'payload' && root !== 'result') return 'A rule must start with payload or result, such as payload.card.*'
  if (parts.length === 0) return null
  if (parts.length > MAX_PARTS) return `A rule can have at most ${MAX_PARTS} names after ${root}.`
  return parts.every((part) => PART.test(part))
    ? null
    : 'Each part must be a name, the index of an item, * for any one, or ** for any depth.'
}

/** True if the value at this path (`['payload', 'card', 'number']`) or one of its parents is redacted. */
export function isRedacted(path: readonly string[], rules: readonly string[]): boolean {
  let place = followRules(rules)
  return path.some((part) => {
    place = place.below(part)
    return place.isHidden
  })
}

/** The document with redacted values replaced; the same object if nothing is redacted. */
export function redact(document: unknown, root: Root, rules: readonly string[]): unknown {
  const turns = redactInTurns(document, root, rules)
  let turn = turns.next()
  while (!turn.done) turn = turns.next()
  return turn.value
}

/** Rule positions checked per turn: about 3 ms. */
const TURN_COST = 500_000

/** `redact` in turns of a few milliseconds, so that a server can handle other requests between them. Returns the document. */
export function* redactInTurns(document: unknown, root: Root, rules: readonly string[]): Generator<void, unknown> {
  if (rules.length === 0) return document
  return yield* walk(document, followRules(rules).below(root), { cost: 0 })
}

function* walk(value: unknown, place: Place, turn: { cost: number }): Generator<void, unknown> {
  if (place.isHidden) return REDACTED
  if (place.isOut || !isContainer(value)) return value
  // By index: Object.entries takes tens of milliseconds for a list of 200,000.
  const keys = Array.isArray(value) ? null : Object.keys(value)
  const items: ArrayLike<unknown> = Array.isArray(value) ? value : Object.values(value)
  const after: unknown[] = []
  let isSame = true
  for (let n = 0; n < items.length; n++) {
    turn.cost += 1 + place.width
    if (turn.cost >= TURN_COST) {
      turn.cost = 0
      yield
    }
    const item = items[n]
    const below = place.below(keys?.[n] ?? String(n))
    const isLeaf = below.isHidden || below.isOut || !isContainer(item)
    const shown = isLeaf ? (below.isHidden ? REDACTED : item) : yield* walk(item, below, turn)
    after.push(shown)
    isSame &&= shown === item
  }
  if (isSame) return value
  return keys === null ? after : Object.fromEntries(keys.map((key, n) => [key, after[n]]))
}

function isContainer(value: unknown): value is object {
  return typeof value === 'object' && value !== null
}

/**
 * Restores redacted values that the edit left in place. Items of a changed list cannot be matched to their originals, so their
 * placeholders stay.
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
