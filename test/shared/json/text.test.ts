/** Storable text: detection, sanitising and length in bytes. */
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { isStorable, sanitise, utf8Length } from '../../../shared/json/text.ts'
import { anyText, GRIN, HIGH, LOW } from './any-text.ts'

const storableText = fc.string({ unit: 'binary' }).map((text) => text.replaceAll('\u0000', ''))

describe('isStorable', () => {
  it.each([
    ['', true],
    ['plain', true],
    [GRIN, true],
    [`a${GRIN}${GRIN}b`, true],
    ['\uffff\ufffd\u0001', true],
    ['\\u0000', true],
    ['a\u0000', false],
    ['\u0000', false],
    [HIGH, false],
    [LOW, false],
    [LOW + HIGH, false],
    [HIGH + GRIN, false],
    [GRIN + LOW, false],
    [`${HIGH} ${LOW}`, false],
  ])('of %j is %s', (text, expected) => {
    expect(isStorable(text)).toBe(expected)
  })

  it('agrees with the standard on lone surrogates', () => {
    fc.assert(
      fc.property(anyText, (text) => {
        const survivesUtf8 = Buffer.from(text, 'utf8').toString('utf8') === text
        expect(isStorable(text)).toBe(survivesUtf8 && !text.includes('\u0000'))
      }),
    )
  })
})

describe('sanitise', () => {
  it('replaces unstorable characters only', () => {
    expect(sanitise(`a\u0000b${HIGH}c${LOW}${GRIN}`, 100)).toBe(`a\ufffdb\ufffdc\ufffd${GRIN}`)
  })

  it('marks truncated text with an ellipsis', () => {
    expect(sanitise('abcdef', 6)).toBe('abcdef')
    expect(sanitise('abcdefg', 6)).toBe('abcde…')
  })

  it('never splits a surrogate pair', () => {
    expect(sanitise(`ab${GRIN}cd`, 4)).toBe('ab…')
    expect(sanitise(`ab${GRIN}cd`, 5)).toBe(`ab${GRIN}…`)
  })

  it('returns storable text within the limit, and is idempotent', () => {
    fc.assert(
      fc.property(anyText, fc.integer({ min: 1, max: 12 }), (text, max) => {
        const clean = sanitise(text, max)
        expect(isStorable(clean)).toBe(true)
        expect(clean.length).toBeLessThanOrEqual(max)
        expect(sanitise(clean, max)).toBe(clean)
      }),
    )
  })
})

describe('utf8Length', () => {
  it('counts the UTF-8 bytes of storable text', () => {
    fc.assert(
      fc.property(storableText, (text) => {
        expect(utf8Length(text)).toBe(Buffer.byteLength(text, 'utf8'))
      }),
    )
  })

  it.each(['\u007f', '\u0080', '\u07ff', '\u0800', '\uffff', GRIN])('is correct at the boundary %j', (text) => {
    expect(utf8Length(text)).toBe(Buffer.byteLength(text, 'utf8'))
  })
})
