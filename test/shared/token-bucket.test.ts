/** Token bucket arithmetic. */
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { limits } from '../../shared/limits.ts'
import { type Bucket, nextTokenAt, refill, wholeTokens } from '../../shared/token-bucket.ts'

const rates = fc.oneof(
  fc.constantFrom(limits.rate.min, 0.1, 0.3, 1, 10, 1_000),
  fc.double({ min: limits.rate.min, max: 2_000, noNaN: true }),
)
const bursts = fc.integer({ min: 1, max: 50 })

/** A claim as in the stores: refills, then takes at most `wanted` whole tokens. */
function take(bucket: Bucket | undefined, rate: number, burst: number, now: number, wanted: number): [Bucket, number] {
  const full = refill(bucket, rate, burst, now)
  const taken = Math.min(wanted, wholeTokens(full))
  return [{ ...full, tokens: Math.max(0, full.tokens - taken) }, taken]
}

describe('a token bucket', () => {
  it('starts full', () => {
    expect(refill(undefined, 5, 20, 1_000)).toEqual({ tokens: 20, refilledAt: 1_000 })
  })

  it('fills at its rate up to its burst', () => {
    const empty = { tokens: 0, refilledAt: 0 }
    expect(refill(empty, 5, 20, 1_000)).toEqual({ tokens: 5, refilledAt: 1_000 })
    expect(refill(empty, 5, 20, 60_000)).toEqual({ tokens: 20, refilledAt: 60_000 })
  })

  it('neither gains nor loses tokens when the clock goes back, and refills from there', () => {
    const back = refill({ tokens: 3, refilledAt: 10_000 }, 1, 20, 4_000)
    expect(back).toEqual({ tokens: 3, refilledAt: 4_000 })
    expect(refill(back, 1, 20, 6_000).tokens).toBe(5)
  })

  it('counts no millisecond twice when clocks disagree a little', () => {
    const early = refill({ tokens: 3, refilledAt: 10_000 }, 1_000, 20, 9_998)
    expect(early).toEqual({ tokens: 3, refilledAt: 10_000 })
    expect(refill(early, 1_000, 20, 10_001).tokens).toBe(4)
    expect(nextTokenAt({ tokens: 0, refilledAt: 10_000 }, 100, 9_998)).toBe(10_010)
  })

  it('shrinks at once to a lowered burst', () => {
    expect(refill({ tokens: 20, refilledAt: 0 }, 1, 4, 0).tokens).toBe(4)
  })

  it('counts ten tenths as one', () => {
    let bucket: Bucket = { tokens: 0, refilledAt: 0 }
    for (let now = 100; now <= 1_000; now += 100) bucket = refill(bucket, 1, 5, now)
    expect(bucket.tokens).toBeLessThan(1)
    expect(wholeTokens(bucket)).toBe(1)
  })

  it('never allows more than burst + rate × time, with any schedule and any clock', () => {
    const steps = fc.array(fc.record({ ms: fc.integer({ min: -5_000, max: 5_000 }), wanted: fc.nat(60) }), {
      maxLength: 60,
    })
    fc.assert(
      fc.property(rates, bursts, steps, (rate, burst, schedule) => {
        let bucket: Bucket | undefined
        let now = 1_000_000
        let forwardMs = 0
        let total = 0
        for (const { ms, wanted } of schedule) {
          now += ms
          // The first call creates the bucket, so time counts from there.
          if (bucket) forwardMs += Math.max(0, ms)
          const [next, taken] = take(bucket, rate, burst, now, wanted)
          bucket = next
          total += taken
          expect(bucket.tokens).toBeGreaterThanOrEqual(0)
          expect(bucket.tokens).toBeLessThanOrEqual(burst)
          expect(total).toBeLessThanOrEqual(burst + (rate * forwardMs) / 1_000 + 1e-3)
        }
      }),
    )
  })

  it('has a token at the time of nextTokenAt, and none a millisecond before', () => {
    fc.assert(
      fc.property(rates, bursts, fc.double({ min: 0, max: 1, noNaN: true }), (rate, burst, tokens) => {
        const now = 1_700_000_000_000
        const bucket = { tokens, refilledAt: now }
        const at = nextTokenAt(bucket, rate, now)
        expect(wholeTokens(refill(bucket, rate, burst, at))).toBeGreaterThanOrEqual(1)
        if (at - now > 1) expect(wholeTokens(refill(bucket, rate, burst, at - 2))).toBe(0)
      }),
    )
  })

  it('returns now from nextTokenAt if a token is available', () => {
    expect(nextTokenAt({ tokens: 1, refilledAt: 5 }, 1, 5)).toBe(5)
  })
})
