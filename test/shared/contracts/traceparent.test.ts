/** The W3C rules of `traceparent`, as a field and as a header. */
import { describe, expect, it } from 'vitest'
import { isTraceparent, readTraceparent } from '../../../shared/contracts/traceparent.ts'

const TRACE = '4bf92f3577b34da6a3ce929d0e0e4736'
const PARENT = '00f067aa0ba902b7'
const GOOD = `00-${TRACE}-${PARENT}-01`

const MALFORMED = [
  '',
  'xyz',
  GOOD.toUpperCase(),
  ` ${GOOD}`,
  `${GOOD}-more`,
  `${GOOD}, ${GOOD}`,
  `00-${TRACE}-${PARENT}`,
  `00-${TRACE.slice(1)}-${PARENT}-01`,
  `00-${'0'.repeat(32)}-${PARENT}-01`,
  `00-${TRACE}-${'0'.repeat(16)}-01`,
  `ff-${TRACE}-${PARENT}-01`,
  `00-${TRACE}-${PARENT}-zz`,
]

describe('traceparent', () => {
  it('is accepted unchanged if well formed', () => {
    expect([isTraceparent(GOOD), readTraceparent(GOOD)]).toEqual([true, GOOD])
    expect(readTraceparent(`00-${TRACE}-${PARENT}-ff`)).toBe(`00-${TRACE}-${PARENT}-ff`)
  })

  it.each(MALFORMED)('is ignored as a header and rejected as a field: %j', (text) => {
    expect([isTraceparent(text), readTraceparent(text)]).toEqual([false, undefined])
  })

  it('of a later version is read like version 00', () => {
    expect(readTraceparent(`cc-${TRACE}-${PARENT}-09-what-will-be`)).toBe(GOOD)
    expect(readTraceparent(`01-${TRACE}-${PARENT}-00`)).toBe(`00-${TRACE}-${PARENT}-00`)
    expect(readTraceparent(`01-${TRACE}-${PARENT}-01.x`)).toBeUndefined()
    expect(readTraceparent(undefined)).toBeUndefined()
  })
})
