/** Histogram buckets and percentiles. */
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import {
  addHistogram,
  BUCKETS,
  bucketOf,
  emptyHistogram,
  type Histogram,
  percentile,
} from '../../../shared/stats/histogram.ts'

const durations = fc.array(fc.integer({ min: 0, max: 2 ** 22 - 1 }), { minLength: 1, maxLength: 200 })

function histogramOf(values: readonly number[]): Histogram {
  const histogram = emptyHistogram()
  for (const value of values) histogram[bucketOf(value)] = (histogram[bucketOf(value)] ?? 0) + 1
  return histogram
}

describe('bucketOf', () => {
  it.each([
    [0, 0],
    [0.9, 0],
    [1, 1],
    [1.9, 1],
    [2, 2],
    [3, 2],
    [4, 3],
    [1_023, 10],
    [1_024, 11],
    [2 ** 22 - 1, 22],
    [2 ** 22, 23],
    [2 ** 31, 23],
    [2 ** 40, 23],
    [Number.POSITIVE_INFINITY, 23],
    [-5, 0],
  ])('puts %d ms into bucket %i', (ms, bucket) => {
    expect(bucketOf(ms)).toBe(bucket)
  })

  it('returns the bucket whose range contains the value', () => {
    fc.assert(
      fc.property(fc.integer({ min: 0, max: 2 ** 22 - 1 }), (ms) => {
        const bucket = bucketOf(ms)
        expect(ms).toBeLessThan(2 ** bucket)
        if (bucket > 0) expect(ms).toBeGreaterThanOrEqual(2 ** (bucket - 1))
      }),
    )
  })
})

describe('addHistogram', () => {
  it('adds bucket by bucket and pads a short histogram with zeros', () => {
    const into = histogramOf([0, 1, 1_000])
    addHistogram(into, [1, 1])
    expect(into).toEqual(histogramOf([0, 0, 1, 1, 1_000]))
    expect(into).toHaveLength(BUCKETS)
  })

  it('gives the same result for values counted together or separately', () => {
    fc.assert(
      fc.property(durations, durations, (left, right) => {
        const sum = histogramOf(left)
        addHistogram(sum, histogramOf(right))
        expect(sum).toEqual(histogramOf([...left, ...right]))
      }),
    )
  })
})

describe('percentile', () => {
  it('is null for an empty histogram', () => {
    expect(percentile([], 0.5)).toBeNull()
    expect(percentile(emptyHistogram(), 0.99)).toBeNull()
  })

  it('interpolates inside the bucket', () => {
    expect(percentile(histogramOf([1_024, 1_100, 1_500, 2_047]), 0.5)).toBe(1_536)
    expect(percentile(histogramOf([1_024]), 1)).toBe(2_048)
  })

  it('lies in the bucket of the true percentile', () => {
    fc.assert(
      fc.property(durations, fc.constantFrom(0.5, 0.9, 0.95, 0.99, 1), (values, p) => {
        const sorted = values.toSorted((a, b) => a - b)
        const exact = sorted[Math.ceil(p * sorted.length) - 1] ?? Number.NaN
        const bucket = bucketOf(exact)
        const found = percentile(histogramOf(values), p) ?? Number.NaN
        expect(found).toBeGreaterThanOrEqual(bucket === 0 ? 0 : 2 ** (bucket - 1))
        expect(found).toBeLessThanOrEqual(2 ** bucket)
      }),
    )
  })

  it('never decreases as the share grows', () => {
    fc.assert(
      fc.property(durations, (values) => {
        const histogram = histogramOf(values)
        const found = [0, 0.1, 0.5, 0.9, 0.99, 1].map((p) => percentile(histogram, p) ?? Number.NaN)
        expect(found).toEqual(found.toSorted((a, b) => a - b))
      }),
    )
  })
})
