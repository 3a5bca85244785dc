/** What this browser does not show: rules, and what they hide. */
import { describe, expect, it } from 'vitest'
import { isRedacted, REDACTED, redact, ruleProblem } from '../../client/settings/redaction.ts'

const PAYLOAD = { user: 'ada', card: { number: '4111', cvc: 1 }, items: [{ pin: 1 }, { pin: 2, deep: { pin: [3] } }] }

describe('redaction', () => {
  it.each([
    ['payload.card', { ...PAYLOAD, card: REDACTED }],
    ['payload.card.*', { ...PAYLOAD, card: { number: REDACTED, cvc: REDACTED } }],
    ['payload.items.0.pin', { ...PAYLOAD, items: [{ pin: REDACTED }, PAYLOAD.items[1]] }],
    ['payload.items.*.pin', { ...PAYLOAD, items: [{ pin: REDACTED }, { pin: REDACTED, deep: { pin: [3] } }] }],
    ['payload.**.pin', { ...PAYLOAD, items: [{ pin: REDACTED }, { pin: REDACTED, deep: { pin: REDACTED } }] }],
    ['payload', REDACTED],
    ['payload.**', REDACTED],
    ['payload.nothing.here', PAYLOAD],
    ['result.card', PAYLOAD],
  ])('%s', (rule, shown) => {
    expect(redact(PAYLOAD, 'payload', [rule])).toEqual(shown)
  })

  it('leaves the document itself alone, and hands out the very same one where no rule is for it', () => {
    const copy = structuredClone(PAYLOAD)
    redact(PAYLOAD, 'payload', ['payload.card.*'])
    expect(PAYLOAD).toEqual(copy)
    expect(redact(PAYLOAD, 'payload', ['result.x'])).toBe(PAYLOAD)
  })

  it('does not trip over a key that is special to JavaScript', () => {
    const hostile: unknown = JSON.parse('{"__proto__":{"secret":1},"a":1}')
    expect(JSON.stringify(redact(hostile, 'payload', ['payload.a']))).toBe(
      `{"__proto__":{"secret":1},"a":"${REDACTED}"}`,
    )
  })

  it('answers for single places, and for what is below a hidden one', () => {
    const rules = ['payload.card.*', 'payload.**.password']
    const hidden = (path: string) => isRedacted(path.split('.'), rules)
    expect(
      [
        'payload',
        'payload.card',
        'payload.card.number',
        'payload.card.number.last',
        'payload.a.b.password',
        'result.card.x',
      ].map(hidden),
    ).toEqual([false, false, true, true, true, false])
  })

  it.each([
    ['payload.card.*', true],
    ['result', true],
    ['payload.**.password', true],
    ['card.number', false],
    ['payload..x', false],
    ['payload.a b', false],
    ['payload.x*', false],
    ['', false],
  ])('knows whether %j is a rule', (rule, isRule) => {
    expect(ruleProblem(rule) === null).toBe(isRule)
  })
})
