/** State machine of live lists: frames patch rows, reads complete them, and a held list does not move. */
import { describe, expect, it } from 'vitest'
import type { Frame } from '../../../client/live/frame.ts'
import {
  append,
  applyFrame,
  applyRead,
  applyRowRead,
  emptyList,
  hold,
  type ListScope,
  type LiveList,
  needsRead,
  type Reading,
  release,
  restore,
} from '../../../client/live/live-list.ts'
import type { JobSummary } from '../../../shared/job.ts'
import { emptyCounts, type Status } from '../../../shared/status.ts'
import { jobIn } from '../../shared/lifecycle/job-fixture.ts'

const FAILED: ListScope = { type: null, statuses: ['failed'] }

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
    schedules: false,
    bulks: [],
  }
}

const shown = ({ rows, removed }: LiveList) =>
  rows.map(({ id, status }) => `${id} ${removed.has(id) ? 'removed' : status}`)
const ids = ({ rows }: LiveList) => rows.map(({ id }) => id)
const three = () => applyRead(emptyList(), reading([9, 6, 3]), FAILED)

describe('a live list', () => {
  it('changes a row in place when a frame changes its job, and marks it stale', () => {
    const list = applyFrame(three(), frame([['j6', 'failed', 'pending']]), 10)
    expect(shown(list)).toEqual(['j9 failed', 'j6 pending', 'j3 failed'])
    expect([...list.stale]).toEqual(['j6'])
    expect(shown(applyFrame(three(), frame([['j6', 'failed', null]]), 10))).toContain('j6 removed')
  })

  it('keeps a pushed change when a read that started earlier arrives', () => {
    const list = applyFrame(three(), frame([['j6', 'failed', 'pending']]), 10)
    expect(shown(applyRead(list, reading([9, 6, 3], { startedAt: 5 }), FAILED))).toContain('j6 pending')
    expect(shown(applyRead(list, reading([9, 6, 3], { startedAt: 11 }), FAILED))).toContain('j6 failed')
  })

  it('applies an earlier frame to a job that first appears in a read that was already running', () => {
    const list = applyFrame(three(), frame([['j12', 'failed', 'pending']]), 10)
    const next = applyRead(list, reading([12, 9, 6, 3], { startedAt: 5 }), FAILED)
    expect([shown(next)[0], next.stale.has('j12')]).toEqual(['j12 pending', true])
  })

  it('keeps rows in place while held, counts waiting jobs, and shows them on release', () => {
    const held = applyRead(hold(three()), reading([12, 9, 7, 3]), FAILED)
    expect(ids(held)).toEqual(['j9', 'j6', 'j3'])
    expect([held.waiting, held.isWaitingMore, [...held.stale]]).toEqual([2, false, ['j6']])
    expect(ids(release(held))).toEqual(['j12', 'j9', 'j7', 'j3'])
    expect(release(held).waiting).toBe(0)
  })

  it('marks the number of new jobs as a minimum when the read ends before the first shown row', () => {
    const held = applyRead(hold(three()), reading([50, 49], { nextCursor: 'c' }), FAILED)
    expect([held.waiting, held.isWaitingMore]).toEqual([2, true])
  })

  it('does not count older jobs as new', () => {
    const list = applyRead(emptyList(), reading([9, 6], { nextCursor: 'c' }), FAILED)
    expect(applyRead(hold(list), reading([9, 6, 5], { nextCursor: 'd' }), FAILED).waiting).toBe(0)
  })

  it('keeps appended rows and their cursor when the start of the list is read again', () => {
    const list = append(
      applyRead(emptyList(), reading([9, 6], { nextCursor: 'a' }), FAILED),
      reading([3], { nextCursor: 'b' }),
    )
    expect([ids(list), list.nextCursor]).toEqual([['j9', 'j6', 'j3'], 'b'])
    const next = applyRead(list, reading([12, 9, 6], { nextCursor: 'c' }), FAILED)
    expect([ids(next), next.nextCursor]).toEqual([['j12', 'j9', 'j6', 'j3'], 'b'])
  })

  it('keeps its rows when a search ends early, at its time budget', () => {
    expect(ids(applyRead(three(), reading([], { nextCursor: 'c' }), FAILED))).toEqual(['j9', 'j6', 'j3'])
  })

  it('replaces a numbered page with the read page', () => {
    const page = { isHead: false, nextCursor: 'c' }
    const list = applyRead(emptyList(), reading([9, 6], page), FAILED)
    expect(ids(applyRead(list, reading([6, 3], page), FAILED))).toEqual(['j6', 'j3'])
    expect([...applyRead(hold(list), reading([6, 3], page), FAILED).stale]).toEqual([])
  })

  it('updates a row that is read by id', () => {
    const list = applyFrame(three(), frame([['j6', 'failed', 'processing']]), 10)
    const done = applyRowRead(list, 'j6', job(6, 'completed'), 20)
    expect([shown(done)[1], done.stale.size]).toEqual(['j6 completed', 0])
    const early = applyRowRead(list, 'j6', job(6, 'pending'), 5)
    expect([shown(early)[1], early.stale.size]).toEqual(['j6 processing', 1])
    expect(shown(applyRowRead(list, 'j6', null, 20))[1]).toBe('j6 removed')
  })

  it('reverts an optimistic change', () => {
    const list = applyFrame(three(), frame([['j6', 'failed', null]]), 10)
    expect(shown(restore(list, job(6)))).toEqual(['j9 failed', 'j6 failed', 'j3 failed'])
  })

  it('needs a read only for changes that can affect the rows in view', () => {
    const scope: ListScope = { type: 't', statuses: ['failed'] }
    expect(needsRead(three(), frame([['other', 'processing', 'completed']]), scope)).toBe(false)
    expect(needsRead(three(), frame([['other', 'processing', 'failed']]), scope)).toBe(true)
    expect(needsRead(three(), frame([['other', 'processing', 'failed']]), { ...scope, type: 'u' })).toBe(false)
    expect(needsRead(three(), frame([['j6', 'failed', 'pending']]), scope)).toBe(true)
    expect(needsRead(three(), frame([], 500), scope)).toBe(true)
    expect(needsRead(three(), { ...frame([]), refetch: true }, scope)).toBe(true)
  })
})
