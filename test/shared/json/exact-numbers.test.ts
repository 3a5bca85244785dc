/** Detection of numbers that JSON.parse would change; digits in strings and short numbers are ignored. */
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { findChangedNumber, requireExactNumbers } from '../../../shared/json/exact-numbers.ts'
import { refusal } from '../../support/refusal.ts'

describe('a number that would change', () => {
  it.each([
    ['9007199254740993', '9007199254740992'],
    ['-9007199254740993', '-9007199254740992'],
    ['18446744073709551615', '18446744073709552000'],
    ['1152921504606846976', '1152921504606847000'],
    ['9.007199254740993e15', '9007199254740992'],
    ['90071992547409930E-1', '9007199254740992'],
    ['9007199254740993.5', '9007199254740994'],
    ['10000000000000000000000001', '1e+25'],
    ['1e400', 'null'],
    ['-1E+0400', 'null'],
    [`${'9'.repeat(400)}`, 'null'],
  ])('%s is reported as %s', (literal, becomes) => {
    for (const [before, after] of [
      ['', ''],
      ['[1,', ',2]'],
      ['{"a\\"1234567890123456789":{"b":["1e999",', ']}}'],
      ['["\\\\",', ']'],
    ]) {
      expect(findChangedNumber(`${before}${literal}${after}`)).toEqual({ literal, becomes, offset: before?.length })
    }
  })

  it('is named in the error with what to do', () => {
    const refuse = () => requireExactNumbers('{"payload":{"id":9007199254740993}}')
    expect(refuse).toThrow('The number 9007199254740993 would be stored as 9007199254740992; send it as a string.')
    expect(refusal(refuse).code).toBe('BAD_INPUT')
    expect(() => requireExactNumbers(`[${'7'.repeat(1_000)}]`)).toThrow(/^The number 7{60}… would be stored as null;/)
  })
})

describe('a number that does not change', () => {
  it.each([
    ...[
      '0',
      '-0',
      '1.0',
      '0.1',
      '1e3',
      '9007199254740991',
      '9007199254740992',
      '9007199254740994.0',
      '1e21',
      '1e23',
      '1e308',
    ],
    ...[
      '0.1234567890123456789',
      '3.14159265358979323846',
      '1234567890123456.789',
      '1e-400',
      '0e400',
      '0.00000000000000000001',
    ],
    ...['12345678901234567000', '1000000000000000000000', `1${'0'.repeat(300)}`],
    ...['100000000000000000000e-1', '-100000000000000000000e-1', '-12345678901234567000'],
    ...[
      '"9007199254740993"',
      '"\\"9007199254740993"',
      '{"9007199254740993":"1e400"}',
      '"unterminated 9007199254740993',
      '""',
    ],
  ])('%s is accepted', (json) => {
    expect(findChangedNumber(json)).toBeNull()
  })

  it('includes every number that JSON.stringify writes', () => {
    const anyNumber = fc.double({ noNaN: true, noDefaultInfinity: true })
    fc.assert(fc.property(fc.jsonValue(), (value) => void expect(findChangedNumber(JSON.stringify(value))).toBeNull()))
    fc.assert(fc.property(anyNumber, (value) => void expect(findChangedNumber(String(value))).toBeNull()))
  })

  it('includes an integer exactly if its digits survive parsing', () => {
    const integers = fc.bigInt({ min: -(2n ** 69n), max: 2n ** 69n })
    fc.assert(
      fc.property(integers, (value) => {
        const isKept = String(Number(value)) === String(value)
        expect(findChangedNumber(`{"id":${value}}`) === null).toBe(isKept)
      }),
    )
  })
})
