/**
 * Matches all redaction rules at once while walking down a document. The cost of a step does not depend on the path: matching each
 * rule at each place took seconds for rules with many `**` and blocked the process.
 */

/** The state of the matcher at one place of the document. */
export interface Place {
  /** A rule matches here. */
  readonly isHidden: boolean
  /** No rule can match below this place. */
  readonly isOut: boolean
  /** Cost of a step down: number of rule positions to check. */
  readonly width: number
  below(key: string): Place
}

const END = 0
/** `*`: one part with any name. */
const ANY = 1
/** `**`: any depth, including zero. */
const ANY_DEPTH = 2
/** A name that is in no rule. */
const OTHER = -1
/** Cached places below named keys; list items usually have the same keys. Each may have 800 positions. */
const MAX_CACHED = 1_000

export function followRules(rules: readonly string[]): Place {
  const codes = new Map([
    ['*', ANY],
    ['**', ANY_DEPTH],
  ])
  // The parts of all rules in one array, each rule followed by END.
  const parts: number[] = []
  const starts: number[] = []
  for (const rule of rules) {
    starts.push(parts.length)
    for (const part of rule.split('.')) {
      const code = codes.get(part) ?? codes.size + 1
      codes.set(part, code)
      if (code !== ANY_DEPTH || parts.at(-1) !== ANY_DEPTH) parts.push(code)
    }
    parts.push(END)
  }
  const marks = new Uint32Array(parts.length)
  let steps = 0
  let cached = 0

  function step(positions: readonly number[], code: number): number[] {
    const reached: number[] = []
    steps += 1
    for (const position of positions) {
      const part = parts[position]
      if (part !== ANY_DEPTH && part !== ANY && part !== code) continue
      const next = part === ANY_DEPTH ? position : position + 1
      // `**` also matches zero parts.
      const last = parts[next] === ANY_DEPTH ? next + 1 : next
      for (let at = next; at <= last; at++) {
        if (marks[at] === steps) continue
        marks[at] = steps
        reached.push(at)
      }
    }
    return reached
  }

  function placeOf(positions: readonly number[]): Place {
    // List items and all other keys that no rule names share one place.
    let other: Place | null = null
    let named: Map<number, Place> | null = null
    return {
      isHidden: positions.some((position) => parts[position] === END),
      isOut: positions.length === 0,
      width: positions.length,
      below(key) {
        // A key named `*` or `**` is an ordinary name.
        const code = key === '*' || key === '**' ? OTHER : (codes.get(key) ?? OTHER)
        if (code === OTHER) {
          other ??= placeOf(step(positions, OTHER))
          return other
        }
        const known = named?.get(code)
        if (known) return known
        const place = placeOf(step(positions, code))
        if (cached < MAX_CACHED) {
          cached += 1
          named ??= new Map()
          named.set(code, place)
        }
        return place
      },
    }
  }

  return placeOf(starts)
}
