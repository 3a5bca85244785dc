/** Groups of failures: the filters that lead to exactly their jobs, and the order in which they are shown. */
import { describe, expect, it } from 'vitest'
import { arrange, hottestFirst } from '../../../client/features/failures/arrange.ts'
import { failedOf, groupName, jobsPath } from '../../../client/features/failures/group-filter.ts'
import { readFilter } from '../../../client/features/jobs/filter/filter.ts'
import { jobFilter } from '../../../shared/contracts/observe.ts'
import { errorKey } from '../../../shared/error-key.ts'

const grouped = (error: string, type = 'mail') => ({ type, errorKey: errorKey(error) })

describe('the filter of a group', () => {
  it.each([
    ['connect ECONNREFUSED 10.0.3.17:5432', 'mail'],
    ['', 'mail'],
    ['42', 'mail'],
    ['status:failed and "quotes"', 'a type: with "everything"'],
    [String.raw`C:\temp\ is full`, 'mail'],
    ['ends with \\', 'mail'],
    ['x'.repeat(500), 'mail'],
  ])('is the same in the words of the filter bar, for %j of %j', (error, type) => {
    const group = grouped(error, type)
    expect(jobFilter.safeParse(failedOf(group)).success).toBe(true)
    const text = new URLSearchParams(jobsPath(group).split('?')[1]).get('q') ?? ''
    const { problems, at } = readFilter(text)
    expect([problems, at(0)]).toEqual([[], { ...failedOf(group), status: ['failed', 'retrying'] }])
  })
})

describe('the order of groups', () => {
  it('has what burns now first', () => {
    const counts = (lastHour: number, lastDay: number, lastWeek: number) => ({ lastHour, lastDay, lastWeek })
    const sorted = [counts(3, 3, 3), counts(0, 9, 9), counts(0, 2, 9), counts(0, 2, 8)]
    expect(hottestFirst(sorted.toReversed())).toEqual(sorted)
  })

  const [a, b, c] = [grouped('a', 'a'), grouped('b', 'b'), grouped('c', 'c')]
  const order = [groupName(a), groupName(b)]
  it.each([
    ['all, the first time', [b, a], null, [b, a], 0],
    ['as it was, with new ones waiting', [c, b, a], order, [a, b], 1],
    ['without what is gone', [b], order, [b], 0],
    ['all again, when nothing is left of it', [c], order, [c], 0],
  ] as const)('%s', (_, groups, known, shown, waiting) => {
    expect(arrange(groups, known)).toEqual({ shown, waiting })
  })
})
