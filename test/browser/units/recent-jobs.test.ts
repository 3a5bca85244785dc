/** Live list as a feed of the newest jobs: counts created jobs from frames and drops deleted rows at once. */
import { describe, expect, it } from 'vitest'
import type { Frame } from '../../../client/live/frame.ts'
import {
  applyFrame,
  applyRead,
  emptyList,
  hold,
  type LiveList,
  needsRead,
  readLimit,
  release,
} from '../../../client/live/live-list.ts'
import type { JobSummary } from '../../../shared/job.ts'
import { emptyCounts, type Status } from '../../../shared/status.ts'
import { jobIn } from '../../shared/lifecycle/job-fixture.ts'

const SIZE = 100
const ALL = { type: null, statuses: null }

function job(seq: number, status: Status = 'pending'): JobSummary {
  return jobIn(status, { id: `j${seq}`, seq })
}

function jobs(...seqs: readonly number[]): JobSummary[] {
  return seqs.map((seq) => job(seq))
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

function read(list: LiveList, page: readonly JobSummary[], startedAt: number): LiveList {
  return applyRead(list, { jobs: page, nextCursor: null, total: page.length, startedAt, isHead: true }, ALL)
}

const shown = ({ rows }: LiveList) => rows.map(({ id, status }) => `${id} ${status}`)
const three = () => read(emptyList(SIZE), jobs(3, 2, 1), 0)

describe('a feed of recent jobs', () => {
  it('changes a row at once when a frame changes its job', () => {
    const state = applyFrame(three(), frame([['j2', 'pending', 'completed']]), 10)
    expect(shown(state)).toEqual(['j3 pending', 'j2 completed', 'j1 pending'])
  })

  it('keeps a pushed change when a read that started earlier arrives', () => {
    const state = applyFrame(three(), frame([['j2', 'pending', 'completed']]), 10)
    expect(shown(read(state, jobs(3, 2, 1), 5))).toContain('j2 completed')
    expect(shown(read(state, [job(3), job(2, 'retrying'), job(1)], 11))).toContain('j2 retrying')
  })

  it('drops the row of a deleted job', () => {
    expect(shown(applyFrame(three(), frame([['j3', 'pending', null]]), 10))).toEqual(['j2 pending', 'j1 pending'])
    expect(shown(read(three(), jobs(3, 1), 10))).toEqual(['j3 pending', 'j1 pending'])
  })

  it('needs a read for new and shown jobs, and not for older ones', () => {
    const state = three()
    expect(needsRead(state, frame([['old', 'pending', 'completed']]), ALL)).toBe(false)
    expect(needsRead(state, frame([['new', null, 'pending']]), ALL)).toBe(true)
    expect(needsRead(state, frame([['j1', 'pending', 'processing']]), ALL)).toBe(true)
    expect(needsRead(state, frame([], 500), ALL)).toBe(true)
    expect(needsRead(state, { ...frame([]), refetch: true }, ALL)).toBe(true)
    expect(needsRead(undefined, frame([]), ALL)).toBe(true)
  })

  it('keeps rows in place while held, and counts created jobs before the next read', () => {
    const held = applyFrame(
      hold(three()),
      frame([
        ['j4', null, 'pending'],
        ['j1', 'pending', null],
      ]),
      20,
    )
    expect([held.waiting, held.removed]).toEqual([1, new Set(['j1'])])
    expect(shown(held)).toEqual(['j3 pending', 'j2 pending', 'j1 pending'])
    const later = read(held, jobs(4, 3, 2), 30)
    expect([later.waiting, shown(later)]).toEqual([1, ['j3 pending', 'j2 pending', 'j1 pending']])
    expect(shown(release(later))).toEqual(['j4 pending', 'j3 pending', 'j2 pending'])
  })

  it('reads far enough to keep held rows current, within the limit of a list', () => {
    expect(readLimit(undefined, SIZE)).toBe(SIZE)
    const held = applyFrame(hold(three()), frame([['j4', null, 'pending']]), 20)
    expect(readLimit(held, SIZE)).toBe(3 + 1 + SIZE)
    expect(readLimit({ ...held, waiting: 10_000 }, SIZE)).toBe(200)
  })

  it('reports more waiting jobs than counted when a frame is truncated', () => {
    expect(applyFrame(hold(three()), frame([['j4', null, 'pending']], 300), 20)).toMatchObject({
      waiting: 1,
      isWaitingMore: true,
    })
  })

  it('marks a held row as removed when a read that covers it lacks it', () => {
    const held = read(hold(three()), jobs(3, 1), 10)
    expect([shown(held), held.removed]).toEqual([['j3 pending', 'j2 pending', 'j1 pending'], new Set(['j2'])])
    expect(shown(release(held))).toEqual(['j3 pending', 'j1 pending'])
  })

  it('shows at most its size, and does not count older jobs as new when held again', () => {
    const all = jobs(...Array.from({ length: 150 }, (_, n) => 150 - n))
    const list = read(emptyList(SIZE), all, 0)
    expect([list.rows.length, list.rows.at(-1)?.id]).toEqual([SIZE, 'j51'])
    expect(read(hold(list), all, 10)).toMatchObject({ waiting: 0, isWaitingMore: false })
  })
})
