/** "Did you mean": what is close enough, and what comes first. */
import { describe, expect, it } from 'vitest'
import { nearest } from '../../shared/nearest.ts'

describe('nearest', () => {
  it.each([
    ['lits', 'list'],
    ['sttus', 'status'],
    ['statss', 'stats'],
    ['list', 'list'],
    ['banana', undefined],
    ['', undefined],
  ])('%j means %s', (word, meant) => {
    expect(nearest(word, ['list', 'stats', 'status'], 2)).toBe(meant)
  })

  it('goes no further than it is told, and knows nothing without words', () => {
    expect(nearest('lsit', ['list'], 1)).toBeUndefined()
    expect(nearest('list', [], 5)).toBeUndefined()
  })
})
