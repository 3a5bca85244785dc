/** Rules of redaction, all at once: the same answer as one by one, in a time that does not explode. */
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { isRedacted, REDACTED, redact, redactInTurns, ruleProblem } from '../../shared/redaction/redaction.ts'

/** As the rules read: slow, and plain. */
function matches([part, ...rest]: readonly string[], path: readonly string[]): boolean {
  if (part === undefined) return path.length === 0
  if (part === '**') return matches(rest, path) || (path.length > 0 && matches([part, ...rest], path.slice(1)))
  const [first, ...below] = path
  return first !== undefined && (part === '*' || part === first) && matches(rest, below)
}

const part = fc.constantFrom('a', 'b', '*', '**')
const rule = fc.array(part, { maxLength: 6 }).map((parts) => ['payload', ...parts].join('.'))
const path = fc
  .array(fc.constantFrom('a', 'b', 'c', '*', '**', '0'), { maxLength: 6 })
  .map((keys) => ['payload', ...keys])

describe('rules of redaction', () => {
  it('hide a place when one of them leads to it or to what it is part of', () => {
    fc.assert(
      fc.property(fc.array(rule, { maxLength: 4 }), path, (rules, place) => {
        const isHidden = rules.some((one) => place.some((_, end) => matches(one.split('.'), place.slice(0, end + 1))))
        expect(isRedacted(place, rules)).toBe(isHidden)
      }),
      { numRuns: 2_000 },
    )
  })

  it('take no longer for many ways through a deep document', () => {
    let document: unknown = { secret: 1 }
    let hidden: unknown = { secret: REDACTED }
    for (let depth = 0; depth < 60; depth++) [document, hidden] = [{ a: document }, { a: hidden }]
    const ways = `payload${'.**.a'.repeat(30)}`
    expect(redact(document, 'payload', [`${ways}.nothing`])).toBe(document)
    expect(redact(document, 'payload', [`${ways}.**.secret`])).toEqual(hidden)
  })

  it('are followed in turns, each of a bounded cost', () => {
    const rules = Array.from({ length: 100 }, (_, n) => `payload.**.*.**.*.**.x${n}`)
    const document = Array.from({ length: 20_000 }, (_, n) => (n % 10 === 0 ? { a: { b: { x7: n } } } : n))
    const turns = redactInTurns(document, 'payload', rules)
    let [count, turn] = [0, turns.next()]
    for (; !turn.done; turn = turns.next()) count += 1
    expect(count).toBeGreaterThan(10)
    expect(turn.value).toEqual(
      document.map((item) => (typeof item === 'number' ? item : { a: { b: { x7: REDACTED } } })),
    )
    expect(redactInTurns([1], 'payload', rules).next()).toEqual({ done: true, value: [1] })
  })

  it('hide the same when they have more places than are remembered', () => {
    const rules = Array.from({ length: 60 }, (_, n) => `payload.k${n}.**.secret`)
    const document = Object.fromEntries(
      Array.from({ length: 60 }, (_, n) => [
        `k${n}`,
        Object.fromEntries(rules.map((_, m) => [`k${m}`, { secret: m }])),
      ]),
    )
    const shown = JSON.stringify(redact(document, 'payload', rules))
    expect(shown).toBe(JSON.stringify(document).replaceAll(/"secret":\d+/g, `"secret":"${REDACTED}"`))
  })

  it('have a length', () => {
    expect(ruleProblem(`payload${'.a'.repeat(8)}`)).toBeNull()
    expect(ruleProblem(`payload${'.a'.repeat(9)}`)).toBe('A rule has at most 8 names after payload.')
  })
})
