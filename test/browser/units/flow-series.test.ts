/** Bars and scale of the throughput chart. */
import { describe, expect, it } from 'vitest'
import { RANGES, type Range, seriesOf } from '../../../client/features/overview/flow-series.ts'
import { scaleTop } from '../../../client/ui/chart/scale.ts'

const MINUTE = 60_000
const NOW = 1_000_000 * MINUTE + 30_000

function range(name: Range['name']): Range {
  const found = RANGES.find((one) => one.name === name)
  if (!found) throw new Error(`there is no range ${name}`)
  return found
}

describe('the bars of a chart', () => {
  it('cover one minute each in the 15-minute range, include idle minutes, and end with the current minute', () => {
    const minutes = [
      { minute: 1_000_000, completed: 5, failed: 1 },
      { minute: 1_000_000, completed: 2, failed: 0 },
      { minute: 999_998, completed: 3, failed: 2 },
      { minute: 999_985, completed: 100, failed: 100 },
    ]
    const { times, completed, failed } = seriesOf(minutes, range('15 min'), NOW)
    expect(times).toHaveLength(15)
    expect(times.at(-1)).toBe(1_000_000 * 60)
    expect(completed.slice(-3)).toEqual([3, 0, 7])
    expect(failed.slice(-3)).toEqual([2, 0, 1])
    expect(completed[0]).toBe(0)
  })

  it('add up two minutes per bar in the 60-minute range', () => {
    const minutes = Array.from({ length: 60 }, (_, n) => ({ minute: 1_000_000 - n, completed: 1, failed: 0 }))
    const { times, completed } = seriesOf(minutes, range('1 h'), NOW)
    expect([times.length, new Set(completed)]).toEqual([30, new Set([2])])
  })
})

describe('the scale of a chart', () => {
  it.each([
    [0, 4],
    [1, 4],
    [4, 4],
    [5, 6],
    [9, 10],
    [10, 10],
    [11, 12],
    [17, 20],
    [101, 120],
    [2_999, 3_000],
    [812_345, 1_000_000],
  ])('for a maximum of %i ends at the even number %i', (most, top) => {
    expect([scaleTop(most), scaleTop(most) % 2]).toEqual([top, 0])
  })
})
