/** A group of failures as a filter of jobs: text that is really in its messages, and what else that catches. */
import { describe, expect, it } from 'vitest'
import { arrange } from '../../client/failures/arrange.ts'
import { failedOf, filterOf, groupName, jobsPath } from '../../client/failures/group-filter.ts'
import { readFilter } from '../../client/jobs/filter/filter.ts'
import { errorKey } from '../../shared/error-key.ts'

const grouped = (sampleError: string, type = 'mail') => ({ type, errorKey: errorKey(sampleError), sampleError })

describe('the filter of a group', () => {
  it.each([
    ['connect ECONNREFUSED 10.0.3.17:5432', 'connect ECONNREFUSED'],
    ['SMTP 550 5.1.1 mailbox unavailable', 'mailbox unavailable'],
    ["no such file 'a b c', open it", 'no such file'],
    // Folded white space is not in the message as it is: words are.
    ['Timeout   while  waiting', 'Timeout'],
    ['42', null],
    ['', null],
  ])('of %j looks for %j', (error, words) => {
    expect(filterOf(grouped(error), []).words).toBe(words)
  })

  it('prefers text that catches no other group of its type, and says what it catches when there is none', () => {
    const [first, second, stranger] = [
      grouped('mailbox is full 7 SMTP'),
      grouped('mailbox is full'),
      grouped('x SMTP', 'other'),
    ]
    expect(filterOf(first, [first, second, stranger])).toEqual({ words: 'SMTP', alsoCovers: [] })
    expect(filterOf(second, [first, second])).toEqual({ words: 'mailbox is full', alsoCovers: [first] })
  })

  it.each([
    ['mail', 'plain'],
    ['a type: with "everything"', String.raw`C:\temp and "quotes"`],
  ])('leads to the same jobs in the words of the filter bar (%s)', (type, words) => {
    const text = new URLSearchParams(jobsPath({ type }, words).split('?')[1]).get('q') ?? ''
    const read = readFilter(text)
    expect([read.problems, read.at(0)]).toEqual([[], failedOf({ type }, words)])
  })
})

describe('the order of groups', () => {
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
