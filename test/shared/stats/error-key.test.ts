/** Error keys: messages that differ only in names and numbers share one key. */
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { isStorable } from '../../../shared/json/text.ts'
import { errorKey } from '../../../shared/stats/error-key.ts'
import { GRIN } from '../json/any-text.ts'

describe('errorKey', () => {
  it.each([
    ['Job 018f6f0e-7b1a-7c3e-9a55-0123456789ab is gone', 'Job <uuid> is gone'],
    ['GET https://api.example.com/v1/users?id=4 failed', 'GET <url> failed'],
    ['connect postgres://user:pw@db:5432/app', 'connect <url>'],
    ['No mailbox for jane.doe+x@mail.example.com', 'No mailbox for <email>'],
    ['object 5f2b6c7d8e9fa0b1c2d3 is missing', 'object <hex> is missing'],
    ['bad pointer 0xdeadbeefcafe0', 'bad pointer <hex>'],
    [`Cannot read 'name' of "thing"`, 'Cannot read <text> of <text>'],
    ['timeout after 30000 ms', 'timeout after <n> ms'],
    ['connect ECONNREFUSED 127.0.0.1:5432', 'connect ECONNREFUSED <n>'],
    ['  too \t many   spaces  ', 'too many spaces'],
    ['TypeError: x is undefined\n    at run (file.ts:3:1)', 'TypeError: x is undefined'],
    ['first\r\nsecond', 'first'],
    ['', ''],
  ])('of %j is %j', (message, key) => {
    expect(errorKey(message)).toBe(key)
  })

  it('groups similar messages and separates different ones', () => {
    expect(errorKey('row 1 of 20 failed')).toBe(errorKey('row 317 of 4 failed'))
    expect(errorKey('row 1 is locked')).not.toBe(errorKey('row 1 is gone'))
  })

  it('is short, on one line and storable for any storable message', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary', maxLength: 600 }), (text) => {
        const message = text.replaceAll('\u0000', '')
        const key = errorKey(message)
        expect(key.length).toBeLessThanOrEqual(200)
        expect(key).not.toMatch(/[\n\r]/)
        expect(isStorable(key)).toBe(true)
      }),
    )
  })

  it('never splits a surrogate pair', () => {
    expect(isStorable(errorKey(`x${GRIN.repeat(150)}`))).toBe(true)
  })
})
