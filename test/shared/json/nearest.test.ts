/** Spelling suggestions. */
import { describe, expect, it } from 'vitest'
import { nearest } from '../../../shared/json/nearest.ts'

describe('nearest', () => {
  it.each([
    ['lits', 'list'],
    ['sttus', 'status'],
    ['statss', 'stats'],
    ['list', 'list'],
    ['banana', undefined],
    ['', undefined],
  ])('suggests for %j: %s', (word, meant) => {
    expect(nearest(word, ['list', 'stats', 'status'], 2)).toBe(meant)
  })

  it('respects the maximum distance, and returns undefined without known words', () => {
    expect(nearest('lsit', ['list'], 1)).toBeUndefined()
    expect(nearest('list', [], 5)).toBeUndefined()
  })
})
