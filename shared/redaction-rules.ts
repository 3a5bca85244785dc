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
  below(key: string): Place
}

const END = 0
/** `*`: one part, whatever its name. */
const ANY = 1
/** `**`: any depth, none included. */
const ANY_DEPTH = 2
/** A name that no rule has. */
const OTHER = -1

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
    // Items of a list, and whatever else no rule names, are all alike. More is not kept: a document may have many places.
    let other: Place | null = null
    return {
      isHidden: positions.some((position) => parts[position] === END),
      isOut: positions.length === 0,
      below(key) {
        // A key that is called like a sign is only a name.
        const code = key === '*' || key === '**' ? OTHER : (codes.get(key) ?? OTHER)
        if (code !== OTHER) return placeOf(step(positions, code))
        other ??= placeOf(step(positions, OTHER))
        return other
      },
    }
  }

  return placeOf(beginnings)
}
