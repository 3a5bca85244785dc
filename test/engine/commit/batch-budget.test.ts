/** Size limit of one commit, derived from the duration of earlier ones. */
import { expect, test } from 'vitest'
import { BatchBudget } from '../../../server/engine/commit/batch-budget.ts'
import type { Op } from '../../../server/store/ops.ts'

function completes(count: number): Op[] {
  return Array.from({ length: count }, (_, n) => ({ kind: 'complete', id: `job${n}`, version: 1, result: null }))
}

function after(commits: readonly (readonly [jobs: number, elapsedMs: number])[]): BatchBudget {
  const budget = new BatchBudget()
  for (let round = 0; round < 100; round++) {
    for (const [jobs, elapsedMs] of commits) budget.observe(completes(jobs), elapsedMs)
  }
  return budget
}

test('the batch budget allows fewer jobs when each job is slow', () => {
  expect(after([[100, 2]]).fits(400, 0, 400)).toBe(true)
  expect(after([[100, 20]]).fits(400, 0, 400)).toBe(false)
})

test('the batch budget does not count the fixed cost of a commit as cost per job', () => {
  const slowCommits = after([
    [1, 20],
    [100, 21],
  ])
  expect(slowCommits.fits(400, 0, 400)).toBe(true)
})

test('the batch budget never becomes so small that the fixed cost dominates', () => {
  expect(after([[20, 40]]).fits(50, 0, 50)).toBe(true)
})
