/**
 * Follows all rules of redaction at once down a document. A step costs the same whatever was passed before: to try each rule at each
 * place took seconds for a rule with many `**`, and held up the whole process.
 */

/** One way of standing in the rules. */
export interface Place {
  /** A rule ends here. */
  readonly isHidden: boolean
  /** No rule can end below. */
  readonly isOut: boolean
  /** What a step down from here costs, in positions of rules to look at. */
  readonly width: number
  below(key: string): Place
}

const END = 0
/** `*`: one part, whatever its name. */
const ANY = 1
/** `**`: any depth, none included. */
const ANY_DEPTH = 2
/** A name that no rule has. */
const OTHER = -1
/** Places below named keys that are remembered: items of a list mostly have the same keys. Each may have 800 positions. */
const MAX_KEPT = 1_000

export function followRules(rules: readonly string[]): Place {
  const codes = new Map([
    ['*', ANY],
    ['**', ANY_DEPTH],
  ])
  // The parts of all rules in a row, each rule with its end behind it.
  const parts: number[] = []
  const beginnings: number[] = []
  for (const rule of rules) {
    beginnings.push(parts.length)
    for (const part of rule.split('.')) {
      const code = codes.get(part) ?? codes.size + 1
      codes.set(part, code)
      if (code !== ANY_DEPTH || parts.at(-1) !== ANY_DEPTH) parts.push(code)
    }
    parts.push(END)
  }
  const marks = new Uint32Array(parts.length)
  let steps = 0
  let kept = 0

  function step(positions: readonly number[], code: number): number[] {
    const reached: number[] = []
    steps += 1
    for (const position of positions) {
      const part = parts[position]
      if (part !== ANY_DEPTH && part !== ANY && part !== code) continue
      const next = part === ANY_DEPTH ? position : position + 1
      // What `**` stands for may be nothing.
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
    // Items of a list, and whatever else no rule names, are all alike.
    let other: Place | null = null
    let named: Map<number, Place> | null = null
    return {
      isHidden: positions.some((position) => parts[position] === END),
      isOut: positions.length === 0,
      width: positions.length,
      below(key) {
        // A key that is called like a sign is only a name.
        const code = key === '*' || key === '**' ? OTHER : (codes.get(key) ?? OTHER)
        if (code === OTHER) {
          other ??= placeOf(step(positions, OTHER))
          return other
        }
        const known = named?.get(code)
        if (known) return known
        const place = placeOf(step(positions, code))
        if (kept < MAX_KEPT) {
          kept += 1
          named ??= new Map()
          named.set(code, place)
        }
        return place
      },
    }
  }

  return placeOf(beginnings)
}
