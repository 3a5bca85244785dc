/** Encoding of payloads and results: accepted JSON, replacements and errors. */
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { encodePayload, encodeResult, isStorable } from '../../../shared/json/text.ts'
import { refusal } from '../../support/refusal.ts'
import { anyText, GRIN, HIGH, LOW } from './any-text.ts'

const MAX = 1_048_576

describe('encodePayload', () => {
  it('returns text that parses to the same value', () => {
    fc.assert(
      fc.property(fc.jsonValue({ noUnicodeString: true }), (value) => {
        expect(JSON.parse(encodePayload(value, MAX))).toEqual(JSON.parse(JSON.stringify(value)))
      }),
    )
  })

  it.each([null, 0, '', false, [], {}])('accepts the empty value %j', (value) => {
    expect(encodePayload(value, MAX)).toBe(JSON.stringify(value))
  })

  it('rejects exactly the strings that cannot be stored', () => {
    fc.assert(
      fc.property(anyText, fc.constantFrom('value', 'key', 'array'), (text, where) => {
        const value = where === 'value' ? text : where === 'key' ? { [text]: 1 } : [[text]]
        if (isStorable(text)) expect(JSON.parse(encodePayload(value, MAX))).toEqual(value)
        else expect(refusal(() => encodePayload(value, MAX)).code).toBe('BAD_INPUT')
      }),
    )
  })

  it.each(['\\u0000', '\\\\u0000', '\\ud800', 'C:\\users\\udead', '\\\\\\udfff', 'u0000', '\u0001', '\ud7ff'])(
    'takes the literal text %j for what it is',
    (text) => {
      expect(JSON.parse(encodePayload({ text }, MAX))).toEqual({ text })
    },
  )

  it.each(['\\\u0000', '\\\\\u0000', `\\${HIGH}`, `\\\\\\${LOW}`, `\\u0000${HIGH}`])(
    'sees what cannot be stored behind the backslashes of %j',
    (text) => {
      expect(refusal(() => encodePayload({ text }, MAX)).code).toBe('BAD_INPUT')
    },
  )

  it.each([
    ['ASCII', 'x'.repeat(10), 12],
    ['two bytes', 'é'.repeat(10), 22],
    ['three bytes', '漢'.repeat(10), 32],
    ['four bytes', GRIN.repeat(10), 42],
    ['escapes', '\n'.repeat(10), 22],
  ])('measures the size in UTF-8 bytes: %s', (_name, text, bytes) => {
    expect(encodePayload(text, bytes)).toBe(JSON.stringify(text))
    const error = refusal(() => encodePayload(text, bytes - 1))
    expect([error.code, error.details]).toEqual(['TOO_LARGE', { bytes, maxBytes: bytes - 1 }])
  })

  it('accepts 64 levels and rejects 65, in objects and arrays', () => {
    const nest = (levels: number, wrap: (inner: unknown) => unknown): unknown =>
      levels === 0 ? 1 : wrap(nest(levels - 1, wrap))
    for (const wrap of [(inner: unknown) => ({ inner }), (inner: unknown) => [inner]]) {
      expect(JSON.parse(encodePayload(nest(64, wrap), MAX))).toEqual(nest(64, wrap))
      expect(refusal(() => encodePayload(nest(65, wrap), MAX)).code).toBe('BAD_INPUT')
      expect(refusal(() => encodePayload(nest(5_000, wrap), MAX)).code).toBe('BAD_INPUT')
    }
  })

  it('rejects values that JSON cannot hold, and names their path', () => {
    const cycle: Record<string, unknown> = {}
    cycle.self = cycle
    for (const value of [cycle, 10n, { deep: [1n] }, undefined, () => 1, Symbol('s')]) {
      const error = refusal(() => encodePayload(value, MAX, 'settings'))
      expect(error.code).toBe('BAD_INPUT')
      expect(error.message).toMatch(/^settings(?: |\.self refers to an object that contains it|\.deep\.0 is a BigInt)/)
    }
  })

  it('rejects a value whose getter throws', () => {
    const hostile = {
      get trap(): never {
        throw new Error('sprung')
      },
    }
    expect(refusal(() => encodePayload(hostile, MAX)).code).toBe('BAD_INPUT')
  })
})

describe('encodeResult', () => {
  it('returns null for undefined and JSON for other values', () => {
    expect(encodeResult(undefined, MAX)).toBeNull()
    expect(encodeResult(null, MAX)).toBe('null')
    expect(encodeResult({ ok: true }, MAX)).toBe('{"ok":true}')
  })

  it('replaces unstorable characters in values and keys at any depth', () => {
    const result = { 'k\u0000': [`a${HIGH}`, { inner: `${LOW}b` }], fine: GRIN, literal: '\\u0000' }
    expect(JSON.parse(encodeResult(result, MAX) ?? '')).toEqual({
      'k\ufffd': ['a\ufffd', { inner: '\ufffdb' }],
      fine: GRIN,
      literal: '\\u0000',
    })
  })

  it('changes no other characters', () => {
    const when = new Date(0)
    for (const value of [{ when, bad: '\u0000' }, [when, '\u0000'], [[when], { bad: '\u0000', gone: undefined }]]) {
      const plain = JSON.stringify(value).replaceAll('\\u0000', '\ufffd')
      expect(encodeResult(value, MAX)).toBe(plain)
    }
  })

  it('can be stored for any string that a worker returns', () => {
    fc.assert(
      fc.property(fc.dictionary(anyText, fc.array(anyText)), (value) => {
        const read: unknown = JSON.parse(encodeResult(value, MAX) ?? '')
        expect(() => encodePayload(read, MAX)).not.toThrow()
      }),
    )
  })

  it('rejects a result that is too large or not JSON', () => {
    expect(refusal(() => encodeResult('xxxx', 5)).code).toBe('TOO_LARGE')
    expect(refusal(() => encodeResult({ n: 1n }, MAX)).code).toBe('BAD_INPUT')
  })
})
