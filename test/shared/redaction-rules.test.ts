/** The redaction matcher: same result as matching rule by rule, in bounded time. */
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { isRedacted, REDACTED, redact, redactInTurns, ruleProblem } from '../../shared/redaction/redaction.ts'

/** Reference implementation: slow and simple. */
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

describe('redaction rules', () => {
  it('hide a place if a rule matches it or one of its parents', () => {
    fc.assert(
      fc.property(fc.array(rule, { maxLength: 4 }), path, (rules, place) => {
        const isHidden = rules.some((one) => place.some((_, end) => matches(one.split('.'), place.slice(0, end + 1))))
        expect(isRedacted(place, rules)).toBe(isHidden)
      }),
      { numRuns: 2_000 },
    )
  })

  it('need bounded time for many `**` in a deep document', () => {
    let document: unknown = { secret: 1 }
    let hidden: unknown = { secret: REDACTED }
    for (let depth = 0; depth < 60; depth++) [document, hidden] = [{ a: document }, { a: hidden }]
    const ways = `payload${'.**.a'.repeat(30)}`
    expect(redact(document, 'payload', [`${ways}.nothing`])).toBe(document)
    expect(redact(document, 'payload', [`${ways}.**.secret`])).toEqual(hidden)
  })

  it('are matched in turns of bounded cost', () => {
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

  it('hide the same places when the cache is full', () => {
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

  it('have a maximum length', () => {
    expect(ruleProblem(`payload${'.a'.repeat(8)}`)).toBeNull()
    expect(ruleProblem(`payload${'.a'.repeat(9)}`)).toBe('A rule can have at most 8 names after payload.')
  })
})
