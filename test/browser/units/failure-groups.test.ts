/** Failure groups: job filters and stable order. */
import { describe, expect, it } from 'vitest'
import { failedJobsOf, groupKey, jobsPath } from '../../../client/features/failures/group-filter.ts'
import { arrange, mostFrequentFirst } from '../../../client/features/failures/stable-order.ts'
import { parseFilter } from '../../../client/lib/filter/filter.ts'
import { jobFilter } from '../../../shared/contracts/observe.ts'
import { errorKey } from '../../../shared/stats/error-key.ts'

const grouped = (error: string, type = 'mail') => ({ type, errorKey: errorKey(error) })

describe('filter of a failure group', () => {
  it.each([
    ['connect ECONNREFUSED 10.0.3.17:5432', 'mail'],
    ['', 'mail'],
    ['42', 'mail'],
    ['status:failed and "quotes"', 'a type: with "everything"'],
    [String.raw`C:\temp\ is full`, 'mail'],
    ['ends with \\', 'mail'],
    ['x'.repeat(500), 'mail'],
  ])('survives the round trip through the filter bar, for error %j of type %j', (error, type) => {
    const group = grouped(error, type)
    expect(jobFilter.safeParse(failedJobsOf(group)).success).toBe(true)
    const text = new URLSearchParams(jobsPath(group).split('?')[1]).get('q') ?? ''
    const { problems, toJobFilter } = parseFilter(text)
    expect([problems, toJobFilter(0)]).toEqual([[], { ...failedJobsOf(group), status: ['failed', 'retrying'] }])
  })
})

describe('order of failure groups', () => {
  it('sorts by failures in the last hour, then day, then week', () => {
    const counts = (lastHour: number, lastDay: number, lastWeek: number) => ({ lastHour, lastDay, lastWeek })
    const sorted = [counts(3, 3, 3), counts(0, 9, 9), counts(0, 2, 9), counts(0, 2, 8)]
    expect(mostFrequentFirst(sorted.toReversed())).toEqual(sorted)
  })

  const [a, b, c] = [grouped('a', 'a'), grouped('b', 'b'), grouped('c', 'c')]
  const order = [groupKey(a), groupKey(b)]
  it.each([
    ['shows all groups the first time', [b, a], null, [b, a], 0],
    ['keeps the order, with new groups waiting', [c, b, a], order, [a, b], 1],
    ['removes groups that are gone', [b], order, [b], 0],
    ['starts over when none of the shown groups is left', [c], order, [c], 0],
  ] as const)('%s', (_, groups, known, shown, waiting) => {
    expect(arrange(groups, known)).toEqual({ shown, waiting })
  })
})
