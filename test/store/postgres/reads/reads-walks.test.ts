/** Search strategies of a PostgreSQL list: all return the same jobs, and the plan picks the cheap one. */
import { describe, expect, it } from 'vitest'
import type { Position, Sort } from '../../../../server/store/list/list-key.ts'
import type { Pace } from '../../../../server/store/list/pace.ts'
import { inSnapshot } from '../../../../server/store/postgres/connection/snapshot.ts'
import { claimOrderWalk } from '../../../../server/store/postgres/list/claim-order-walk.ts'
import { gatherWalk } from '../../../../server/store/postgres/list/gather.ts'
import { splitFilter } from '../../../../server/store/postgres/list/list-filter.ts'
import { planList } from '../../../../server/store/postgres/list/list-plan.ts'
import { seqWalk } from '../../../../server/store/postgres/list/seq-walk.ts'
import { sortWalk } from '../../../../server/store/postgres/list/sort-walk.ts'
import { collect, switchAfter, type Walk } from '../../../../server/store/postgres/list/walk.ts'
import { typesWith } from '../../../../server/store/stats/status-counts.ts'
import type { JobFilter } from '../../../../shared/contracts/observe.ts'
import { emptyCounts, type StatusCounts } from '../../../../shared/status.ts'
import { refusedBy } from '../../../support/refusal.ts'
import { accepts, FILTERS, mixed, ORDERS } from '../../reads/list-model.ts'
import { list } from '../../reads/list-pages.ts'
import { idOf } from '../../reads/rows.ts'
import { PostgresRows } from '../rows.ts'

/** Windows of a fixed size; the time budget ends after each of them, or never. */
function steady(size: number, spent: boolean): Pace {
  return { size, lap: () => {}, spent: () => spent }
}

async function walkAll(make: () => Walk, pace: Pace, limit: number): Promise<number[]> {
  const found: number[] = []
  let at: Position | null = { key: null, skip: 0 }
  while (at) {
    const page = await collect(make(), at, limit, pace)
    found.push(...page.keys.map((key) => key.seq))
    at = page.next
  }
  return found
}

describe('walks', () => {
  it.each([
    [9, true],
    [40, false],
  ])('return the same jobs in windows of %i, with the time budget used up after each: %s', async (size, hurried) => {
    const rows = new PostgresRows()
    mixed(rows)
    const reads = await rows.reads()
    const all = (await list(reads, { limit: 200, payloads: true })).jobs
    const counts = await reads.counts()
    await inSnapshot(await rows.pool(), async (client) => {
      for (const input of FILTERS) {
        const filter = splitFilter(input)
        const walks: [name: string, Sort, () => Walk][] = [
          ['gather', 'claim', () => gatherWalk(client, filter, 'claim', counts)],
          ['sort', 'claim', () => sortWalk(client, filter, 10_000)],
        ]
        for (const sort of ['newest', 'oldest'] as const) {
          const gather = () => gatherWalk(client, filter, sort, counts)
          walks.push(['walk', sort, () => seqWalk(client, filter, sort)], ['gather', sort, gather])
          walks.push(['switch', sort, () => switchAfter(10, seqWalk(client, filter, sort), gather())])
        }
        if (filter.statuses?.join() === 'pending') {
          const types = typesWith('pending', filter.type, counts)
          walks.push(['claim', 'claim', () => claimOrderWalk(client, filter, types)])
        }
        for (const [name, sort, make] of walks) {
          const matches = all.filter((job) => accepts(job, input)).sort(ORDERS[sort])
          const expected = matches.map((job) => job.seq)
          const found = await walkAll(make, steady(size, hurried), 20)
          expect({ name, sort, input, found }).toEqual({ name, sort, input, found: expected })
        }
      }
    })
  })

  it('refuse a sort that exceeds its time budget, and return the connection to the pool', async () => {
    const rows = new PostgresRows()
    mixed(rows)
    const pool = await rows.pool()
    const slow = { ...splitFilter({}), row: [() => 'pg_sleep(0.01)::text is not null'] }
    const error = await refusedBy(
      inSnapshot(pool, (client) => collect(sortWalk(client, slow, 0), { key: null, skip: 0 }, 4, steady(50, true))),
    )
    expect([error.code, error.message]).toEqual(['BAD_INPUT', expect.stringContaining('sort by newest')])
    const { rows: settings } = await pool.query(`select current_setting('statement_timeout') as timeout`)
    expect(settings).toEqual([{ timeout: '30s' }])
  })
})

describe('plans', () => {
  const counts = new Map<string, StatusCounts>([
    ['big', { ...emptyCounts(), completed: 900_000, pending: 400_000, failed: 90, scheduled: 3_000, processing: 40 }],
    ['mid', { ...emptyCounts(), completed: 90_000 }],
    ['small', { ...emptyCounts(), completed: 900, failed: 10, retrying: 5 }],
    ['odd', { ...emptyCounts(), cancelled: 9_000 }],
  ])
  const plan = (input: JobFilter, sort: Sort = 'newest') => {
    const { source, gatherLater } = planList(splitFilter(input), sort, counts)
    return gatherLater ? `${source}, then gather` : source
  }

  it('gather rare jobs, walk through frequent ones, and sort only when necessary', () => {
    expect(plan({})).toBe('walk')
    expect(plan({ search: 'x' })).toBe('walk')
    expect(plan({ type: 'small' })).toBe('gather')
    expect(plan({ status: ['failed'] })).toBe('gather')
    expect(plan({ status: ['failed'], search: 'x' })).toBe('gather')
    expect(plan({ status: ['scheduled', 'retrying'], type: 'big' })).toBe('gather')
    expect(plan({ worker: 'w' })).toBe('gather')
    expect(plan({ type: 'mid' })).toBe('walk, then gather')
    expect(plan({ status: ['completed'] })).toBe('walk')
    expect(plan({ status: ['pending'], type: 'big' })).toBe('walk')
    expect(plan({ status: [] })).toBe('none')
    // Scattered jobs cost more than a walk that finds enough of them; with other conditions it might find none.
    expect(plan({ status: ['cancelled'] })).toBe('walk, then gather')
    expect(plan({ status: ['cancelled'] }, 'oldest')).toBe('walk, then gather')
    expect(plan({ status: ['cancelled'], error: 'x' })).toBe('gather')
    expect(plan({ status: ['cancelled'], search: 'x' })).toBe('gather')
    expect(plan({ status: ['pending'] }, 'claim')).toBe('claim')
    expect(plan({ status: ['failed'] }, 'claim')).toBe('gather')
    expect(plan({}, 'claim')).toBe('sort')
    expect(plan({ status: ['failed'], errorKey: 'x' })).toBe('gather')
    for (const sort of ['newest', 'oldest', 'claim'] as const) {
      expect(plan({ ids: [idOf(1)], status: ['pending'], search: 'x' }, sort)).toBe('ids')
    }
  })
})
