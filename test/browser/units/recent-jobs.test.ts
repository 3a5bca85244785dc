/** The list of recent jobs as pure steps: frames patch it, reads complete it, a held list does not move. */
import { describe, expect, it } from 'vitest'
import {
  hear,
  hold,
  type RecentJobs,
  read,
  readLimit,
  release,
  SHOWN,
  visible,
  wantsRead,
} from '../../../client/features/overview/recent-jobs.ts'
import type { Frame } from '../../../client/live/frame.ts'
import type { JobSummary } from '../../../shared/job.ts'
import { emptyCounts, type Status } from '../../../shared/status.ts'
import { jobIn } from '../../shared/job-fixture.ts'

const LIMIT = SHOWN

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
    bulks: [],
  }
}

const shown = (state: RecentJobs) => visible(state).map(({ id, status }) => `${id} ${status}`)
const three = () => read(undefined, jobs(3, 2, 1), LIMIT, 0)

describe('the list of recent jobs', () => {
  it('changes a row at once when a frame says so', () => {
    const state = hear(three(), frame([['j2', 'pending', 'completed']]), 10)
    expect(shown(state)).toEqual(['j3 pending', 'j2 completed', 'j1 pending'])
  })

  it('does not let a read that began earlier undo a frame', () => {
    const state = hear(three(), frame([['j2', 'pending', 'completed']]), 10)
    expect(shown(read(state, jobs(3, 2, 1), LIMIT, 5))).toContain('j2 completed')
    expect(shown(read(state, [job(3), job(2, 'retrying'), job(1)], LIMIT, 11))).toContain('j2 retrying')
  })

  it('drops a job that is gone', () => {
    expect(shown(hear(three(), frame([['j3', 'pending', null]]), 10))).toEqual(['j2 pending', 'j1 pending'])
    expect(shown(read(three(), jobs(3, 1), LIMIT, 10))).toEqual(['j3 pending', 'j1 pending'])
  })

  it('is read again for what frames cannot say, and not for old jobs further down', () => {
    const state = three()
    expect(wantsRead(state, frame([['old', 'pending', 'completed']]))).toBe(false)
    expect(wantsRead(state, frame([['new', null, 'pending']]))).toBe(true)
    expect(wantsRead(state, frame([['j1', 'pending', 'processing']]))).toBe(true)
    expect(wantsRead(state, frame([], 500))).toBe(true)
    expect(wantsRead(state, { ...frame([]), refetch: true })).toBe(true)
    expect(wantsRead(undefined, frame([]))).toBe(true)
  })

  it('keeps its rows in place while held, and counts what waits', () => {
    const held = hear(
      hold(three()),
      frame([
        ['j4', null, 'pending'],
        ['j1', 'pending', null],
      ]),
      20,
    )
    expect([held.waiting, held.removed]).toEqual([1, new Set(['j1'])])
    expect(shown(held)).toEqual(['j3 pending', 'j2 pending', 'j1 pending'])
    const later = read(held, jobs(4, 3, 2), LIMIT, 30)
    expect([later.waiting, shown(later)]).toEqual([1, ['j3 pending', 'j2 pending', 'j1 pending']])
    expect(shown(release(later))).toEqual(['j4 pending', 'j3 pending', 'j2 pending'])
  })

  it('reads far enough to keep held rows fresh, within the limit of a list', () => {
    expect(readLimit(undefined)).toBe(SHOWN)
    const held = hear(hold(three()), frame([['j4', null, 'pending']]), 20)
    expect(readLimit(held)).toBe(3 + 1 + SHOWN)
    expect(readLimit({ ...held, waiting: 10_000 })).toBe(200)
  })

  it('says that more wait than it knows when a frame names too few', () => {
    expect(hear(hold(three()), frame([['j4', null, 'pending']], 300), 20)).toMatchObject({
      waiting: 1,
      isWaitingMore: true,
    })
  })
})
