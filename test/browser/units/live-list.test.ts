/** A live list of jobs as pure steps: frames patch it, readings complete it, a held list does not move. */
import { describe, expect, it } from 'vitest'
import { narrowed } from '../../../client/features/jobs/bulk/bulk.ts'
import {
  append,
  hear,
  type LiveList,
  type Reading,
  read,
  readOne,
  release,
  restore,
  type Scope,
  wantsReading,
} from '../../../client/features/jobs/list/live-list.ts'
import { LAST_PAGE, pagesOf } from '../../../client/features/jobs/sections/pages.ts'
import { chooseAll, extend, NO_SELECTION, toggle } from '../../../client/features/jobs/table/selection.ts'
import type { Frame } from '../../../client/live/frame.ts'
import type { JobSummary } from '../../../shared/job.ts'
import { emptyCounts, type Status } from '../../../shared/status.ts'
import { jobIn } from '../../shared/job-fixture.ts'

const FAILED: Scope = { type: null, statuses: ['failed'] }
const HELD = true
const FREE = false

function job(seq: number, status: Status = 'failed'): JobSummary {
  return jobIn(status, { id: `j${seq}`, seq })
}

function reading(seqs: readonly number[], options: Partial<Reading> = {}): Reading {
  return {
    jobs: seqs.map((seq) => job(seq)),
    nextCursor: null,
    total: seqs.length,
    startedAt: 0,
    isHead: true,
    ...options,
  }
}

function frame(
  changes: readonly [id: string, from: Status | null, to: Status | null][],
  total = changes.length,
): Frame {
  return {
    at: 0,
    refetch: false,
    total,
    changes: changes.map(([id, from, to]) => ({ id, type: 't', from, to })),
    counts: emptyCounts(),
    types: false,
    settings: false,
    workers: false,
    bulks: [],
  }
}

const shown = ({ rows, removed }: LiveList) =>
  rows.map(({ id, status }) => `${id} ${removed.has(id) ? 'removed' : status}`)
const ids = ({ rows }: LiveList) => rows.map(({ id }) => id)
const three = () => read(undefined, reading([9, 6, 3]), FAILED, FREE)

describe('a live list', () => {
  it('changes a row in its place when a frame says so, and has it read again', () => {
    const list = hear(three(), frame([['j6', 'failed', 'pending']]), 10)
    expect(shown(list)).toEqual(['j9 failed', 'j6 pending', 'j3 failed'])
    expect([...list.stale]).toEqual(['j6'])
    expect(shown(hear(three(), frame([['j6', 'failed', null]]), 10))).toContain('j6 removed')
  })

  it('does not let a reading that began earlier undo a frame', () => {
    const list = hear(three(), frame([['j6', 'failed', 'pending']]), 10)
    expect(shown(read(list, reading([9, 6, 3], { startedAt: 5 }), FAILED, FREE))).toContain('j6 pending')
    expect(shown(read(list, reading([9, 6, 3], { startedAt: 11 }), FAILED, FREE))).toContain('j6 failed')
  })

  it('knows of changes to jobs that a reading under way is about to bring', () => {
    const list = hear(three(), frame([['j12', 'failed', 'pending']]), 10)
    const next = read(list, reading([12, 9, 6, 3], { startedAt: 5 }), FAILED, FREE)
    expect([shown(next)[0], next.stale.has('j12')]).toEqual(['j12 pending', true])
  })

  it('keeps its rows in place while held, counts what waits, and lets it in on request', () => {
    const held = read(three(), reading([12, 9, 7, 3]), FAILED, HELD)
    expect(ids(held)).toEqual(['j9', 'j6', 'j3'])
    expect([held.waiting, held.isWaitingMore, [...held.stale]]).toEqual([2, false, ['j6']])
    expect(ids(release(held))).toEqual(['j12', 'j9', 'j7', 'j3'])
    expect(release(held).waiting).toBe(0)
  })

  it('says that more wait than it knows when a reading does not reach the rows in view', () => {
    const held = read(three(), reading([50, 49], { nextCursor: 'c' }), FAILED, HELD)
    expect([held.waiting, held.isWaitingMore]).toEqual([2, true])
  })

  it('does not count older jobs as new ones', () => {
    const list = read(undefined, reading([9, 6], { nextCursor: 'c' }), FAILED, FREE)
    expect(read(list, reading([9, 6, 5], { nextCursor: 'd' }), FAILED, HELD).waiting).toBe(0)
  })

  it('keeps what was loaded behind the beginning, and where it goes on', () => {
    const list = append(
      read(undefined, reading([9, 6], { nextCursor: 'a' }), FAILED, FREE),
      reading([3], { nextCursor: 'b' }),
    )
    expect([ids(list), list.nextCursor]).toEqual([['j9', 'j6', 'j3'], 'b'])
    const next = read(list, reading([12, 9, 6], { nextCursor: 'c' }), FAILED, FREE)
    expect([ids(next), next.nextCursor]).toEqual([['j12', 'j9', 'j6', 'j3'], 'b'])
  })

  it('does not lose rows to a search that ended early', () => {
    expect(ids(read(three(), reading([], { nextCursor: 'c' }), FAILED, FREE))).toEqual(['j9', 'j6', 'j3'])
  })

  it('shows a page by itself as it is read', () => {
    const page = { isHead: false, nextCursor: 'c' }
    const list = read(undefined, reading([9, 6], page), FAILED, FREE)
    expect(ids(read(list, reading([6, 3], page), FAILED, FREE))).toEqual(['j6', 'j3'])
    expect([...read(list, reading([6, 3], page), FAILED, HELD).stale]).toEqual([])
  })

  it('learns from a single reading what became of a row', () => {
    const list = hear(three(), frame([['j6', 'failed', 'processing']]), 10)
    const done = readOne(list, 'j6', job(6, 'completed'), 20)
    expect([shown(done)[1], done.stale.size]).toEqual(['j6 completed', 0])
    const early = readOne(list, 'j6', job(6, 'pending'), 5)
    expect([shown(early)[1], early.stale.size]).toEqual(['j6 processing', 1])
    expect(shown(readOne(list, 'j6', null, 20))[1]).toBe('j6 removed')
  })

  it('takes back what was shown too early', () => {
    const list = hear(three(), frame([['j6', 'failed', null]]), 10)
    expect(shown(restore(list, job(6)))).toEqual(['j9 failed', 'j6 failed', 'j3 failed'])
  })

  it('is read again for what can come into view, and not for the rest', () => {
    const scope: Scope = { type: 't', statuses: ['failed'] }
    expect(wantsReading(three(), frame([['other', 'processing', 'completed']]), scope)).toBe(false)
    expect(wantsReading(three(), frame([['other', 'processing', 'failed']]), scope)).toBe(true)
    expect(wantsReading(three(), frame([['other', 'processing', 'failed']]), { ...scope, type: 'u' })).toBe(false)
    expect(wantsReading(three(), frame([['j6', 'failed', 'pending']]), scope)).toBe(true)
    expect(wantsReading(three(), frame([], 500), scope)).toBe(true)
    expect(wantsReading(three(), { ...frame([]), refetch: true }, scope)).toBe(true)
  })
})

describe('pages', () => {
  it.each([
    [0, 1, [1]],
    [61, 4, [1, 2, 3, 4, 5, 6, 7]],
    [200, 1, [1, 2, 3, 4, 5, null, 20]],
    [200, 10, [1, null, 9, 10, 11, null, 20]],
    [200, 18, [1, null, 16, 17, 18, 19, 20]],
  ])('of %i jobs, on page %i', (count, current, numbers) => {
    expect(pagesOf(count, current)).toMatchObject({ shown: numbers, isCut: false })
  })

  it('end where the server stops counting', () => {
    expect(pagesOf(1_000_000, 1)).toMatchObject({ last: LAST_PAGE, isCut: true })
  })
})

describe('a bulk operation', () => {
  it('visits only what it can change, and never more than the list shows', () => {
    expect(narrowed('retry', { type: 'a' })).toEqual({ type: 'a', status: ['failed', 'retrying', 'cancelled'] })
    expect(narrowed('retry', { status: ['failed', 'completed'] })).toEqual({ status: ['failed'] })
    expect(narrowed('retry', { status: ['completed'] })).toBeNull()
    expect(narrowed('cancel', { worker: 'w' })).toEqual({ worker: 'w', status: ['processing'] })
    expect(narrowed('remove', { worker: 'w' })).toBeNull()
    expect(narrowed('retry', { ids: ['a'], type: 't' })).toEqual({ ids: ['a'], type: 't' })
  })
})

describe('a selection', () => {
  const order = ['a', 'b', 'c', 'd', 'e']

  it('reaches from the row chosen last to this one, both ways, to choose or to leave out', () => {
    const forth = extend(toggle(NO_SELECTION, 'b'), 'd', order)
    expect([...forth.ids]).toEqual(['b', 'c', 'd'])
    expect([...extend(toggle(NO_SELECTION, 'd'), 'b', order).ids].sort()).toEqual(['b', 'c', 'd'])
    expect([...extend(toggle(forth, 'b'), 'c', order).ids]).toEqual(['d'])
    expect([...extend(NO_SELECTION, 'c', order).ids]).toEqual(['c'])
  })

  it('is no longer everything when one row is left out', () => {
    expect(toggle(chooseAll(order), 'c')).toMatchObject({ isAll: false, ids: new Set(['a', 'b', 'd', 'e']) })
  })
})
