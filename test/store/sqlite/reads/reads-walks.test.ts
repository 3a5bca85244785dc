/** Search strategies of a list: all return the same jobs with any window size, and the plan picks the cheap one. */
import { describe, expect, it, onTestFinished, vi } from 'vitest'
import type { Position, Sort } from '../../../../server/store/list/list-key.ts'
import { createPace, type Pace } from '../../../../server/store/list/pace.ts'
import { claimOrderWalk } from '../../../../server/store/sqlite/list/claim-order-walk.ts'
import { gatherWalk } from '../../../../server/store/sqlite/list/gather.ts'
import { createSelectKeys } from '../../../../server/store/sqlite/list/key-statements.ts'
import { splitFilter } from '../../../../server/store/sqlite/list/list-filter.ts'
import { planList } from '../../../../server/store/sqlite/list/list-plan.ts'
import { seqWalk } from '../../../../server/store/sqlite/list/seq-walk.ts'
import { sortWalk } from '../../../../server/store/sqlite/list/sort-walk.ts'
import { collect, switchAfter, type Walk } from '../../../../server/store/sqlite/list/walk.ts'
import { isHeavy } from '../../../../server/store/sqlite/reads/reads.ts'
import { typesWith } from '../../../../server/store/stats/status-counts.ts'
import type { JobFilter } from '../../../../shared/contracts/observe.ts'
import { emptyCounts, type StatusCounts } from '../../../../shared/status.ts'
import { refusal } from '../../../support/refusal.ts'
import { accepts, FILTERS, mixed, ORDERS } from '../../reads/list-model.ts'
import { list } from '../../reads/list-pages.ts'
import { idOf } from '../../reads/rows.ts'
import { Rows } from '../rows.ts'

/** Windows of a fixed size; the time budget ends after each of them, or never. */
function steady(size: number, spent: boolean): Pace {
  return { size, lap: () => {}, spent: () => spent }
}

function walkAll(make: () => Walk, size: number, spent: boolean): number[] {
  const found: number[] = []
  let at: Position | null = { key: null, skip: 0 }
  while (at) {
    const page = collect(make(), at, 4, steady(size, spent))
    found.push(...page.keys.map((key) => key.seq))
    at = page.next
  }
  return found
}

describe('walks', () => {
  it.each([
    [3, true],
    [40, false],
  ])('return the same jobs in windows of %i, with the time budget used up after each: %s', async (size, hurried) => {
    const rows = new Rows()
    mixed(rows)
    const all = (await list(rows.reads(), { limit: 200, payloads: true })).jobs
    const counts = rows.reads().counts()
    const select = createSelectKeys(rows.client)
    for (const input of FILTERS) {
      const filter = splitFilter(input)
      const pending = filter.statuses?.join() === 'pending'
      const walks: [name: string, Sort, () => Walk][] = [
        ['walk', 'newest', () => seqWalk(select, filter, 'newest')],
        ['walk', 'oldest', () => seqWalk(select, filter, 'oldest')],
        ['gather', 'newest', () => gatherWalk(select, filter, 'newest', counts)],
        ['gather', 'oldest', () => gatherWalk(select, filter, 'oldest', counts)],
        ['gather', 'claim', () => gatherWalk(select, filter, 'claim', counts)],
        ['sort', 'claim', () => sortWalk(seqWalk(select, filter, 'newest'))],
      ]
      for (const sort of ['newest', 'oldest'] as const) {
        const second = () => gatherWalk(select, filter, sort, counts)
        walks.push(['switch', sort, () => switchAfter(10, seqWalk(select, filter, sort), second())])
      }
      if (pending) {
        const types = typesWith('pending', filter.type, counts)
        walks.push(['claim', 'claim', () => claimOrderWalk(select, filter, types)])
      }
      for (const [name, sort, make] of walks) {
        const matches = all.filter((job) => accepts(job, input)).sort(ORDERS[sort])
        const expected = matches.map((job) => job.seq)
        // A sort that exceeds its time budget is refused.
        const found = walkAll(make, size, hurried && name !== 'sort')
        expect({ name, sort, input, found }).toEqual({ name, sort, input, found: expected })
      }
    }
  })

  it.each(['newest', 'oldest', 'claim'] as const)('finds jobs by their ids through the index of ids, %s', (sort) => {
    const rows = new Rows()
    const plans: string[] = []
    const explain = (sql: string, params: readonly (string | number | null)[]) => {
      const steps = rows.client.prepare<unknown[], { detail: string }>(`explain query plan ${sql}`).all(...params)
      plans.push(steps.map(({ detail }) => detail).join('; '))
      return []
    }
    const filter = splitFilter({ ids: [idOf(3)], type: 'report', status: ['failed'] })
    collect(gatherWalk(explain, filter, sort, new Map()), { key: null, skip: 0 }, 4, steady(50, false))
    expect(plans).toEqual([expect.stringContaining('SEARCH j USING INDEX millrace_jobs_id (id=?)')])
  })

  it('refuses a sort that exceeds its time budget', () => {
    const rows = new Rows()
    mixed(rows)
    const walk = sortWalk(seqWalk(createSelectKeys(rows.client), splitFilter({}), 'newest'))
    const error = refusal(() => collect(walk, { key: null, skip: 0 }, 4, steady(50, true)))
    expect([error.code, error.message]).toEqual(['BAD_INPUT', expect.stringContaining('sort by newest')])
  })

  it('adapts the size of windows to the time they take', () => {
    let now = 0
    const clock = vi.spyOn(performance, 'now').mockImplementation(() => now)
    onTestFinished(() => clock.mockRestore())
    const pace = createPace(100, 1_000)
    const sizes = [1, 10, 30, 30, 30].map((elapsedMs) => {
      now += elapsedMs
      pace.lap()
      return [pace.size, pace.spent()]
    })
    expect(sizes).toEqual([
      [2_000, false],
      [2_000, false],
      [500, false],
      [125, false],
      [31, true],
    ])
  })
})

describe('plans', () => {
  const counts = new Map<string, StatusCounts>([
    ['big', { ...emptyCounts(), completed: 900_000, pending: 400_000, failed: 90, scheduled: 3_000, processing: 40 }],
    ['small', { ...emptyCounts(), completed: 900, failed: 10, retrying: 5 }],
  ])
  const plan = (input: JobFilter, sort: Sort = 'newest') => {
    const { source, gatherLater } = planList(splitFilter(input), sort, counts)
    return [gatherLater ? `${source}, then gather` : source, isHeavy({ ...input, sort }, counts) ? 'thread' : 'inline']
  }

  const ids = (length: number) => Array.from({ length }, (_, n) => idOf(n))

  it('runs index lookups on the main thread', () => {
    expect(plan({})).toEqual(['walk', 'inline'])
    expect(plan({ type: 'small' })).toEqual(['gather', 'inline'])
    expect(plan({ status: ['failed'] })).toEqual(['gather', 'inline'])
    expect(plan({ status: ['completed'], type: 'small' })).toEqual(['gather', 'inline'])
    expect(plan({ status: ['scheduled', 'retrying'], type: 'big' })).toEqual(['gather', 'inline'])
    expect(plan({ worker: 'w' })).toEqual(['gather', 'inline'])
    expect(plan({ status: ['pending'] }, 'claim')).toEqual(['claim', 'inline'])
    expect(plan({ status: [] })).toEqual(['none', 'inline'])
    expect(plan({ status: ['failed'], search: 'x' })).toEqual(['gather', 'inline'])
    expect(plan({ status: ['failed'], errorKey: 'x' })).toEqual(['gather', 'inline'])
    for (const sort of ['newest', 'oldest', 'claim'] as const) {
      expect(plan({ ids: ids(1_000) }, sort)).toEqual(['ids', 'inline'])
      expect(plan({ ids: ids(1_000), status: ['pending'], type: 'big', priority: 3 }, sort)).toEqual(['ids', 'inline'])
      expect(plan({ ids: ids(100), search: 'x' }, sort)).toEqual(['ids', 'inline'])
    }
  })

  it('runs long scans on the reader thread', () => {
    expect(plan({ type: 'big' })).toEqual(['walk, then gather', 'thread'])
    expect(plan({ type: 'small', priority: 3 })).toEqual(['gather', 'thread'])
    expect(plan({ status: ['completed'] })).toEqual(['walk, then gather', 'thread'])
    expect(plan({ status: ['pending'], type: 'big' })).toEqual(['walk, then gather', 'thread'])
    expect(plan({ status: ['completed'], priority: 3 })).toEqual(['walk', 'thread'])
    expect(plan({ status: ['completed'], search: 'x' })).toEqual(['walk', 'thread'])
    expect(plan({ search: 'x' })).toEqual(['walk', 'thread'])
    expect(plan({ errorKey: 'x' })).toEqual(['walk', 'thread'])
    expect(plan({ ids: ids(101), search: 'x' })).toEqual(['ids', 'thread'])
    expect(plan({ from: 5 })).toEqual(['walk', 'thread'])
    expect(plan({ priority: 3 })).toEqual(['walk', 'thread'])
    expect(plan({ status: ['pending'], priority: 3 }, 'claim')).toEqual(['claim', 'thread'])
    expect(plan({}, 'claim')).toEqual(['sort', 'thread'])
    expect(isHeavy({ offset: 5_000 }, counts)).toBe(true)
    expect(isHeavy({ page: 101, limit: 50 }, counts)).toBe(true)
    expect(isHeavy({ page: 3, limit: 50 }, counts)).toBe(false)
  })
})
