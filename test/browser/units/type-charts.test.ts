/** Charts of a job type: backlog, throughput and sparklines. */
import { describe, expect, it } from 'vitest'
import { FLOW_MINUTES, flowOf } from '../../../client/features/job-types/flow.ts'
import { linesOf } from '../../../client/ui/chart/Sparkline.tsx'
import { MINUTE } from '../../../shared/limits.ts'

describe('backlog and throughput of a type', () => {
  const row = (minute: number, enqueued: number, completed: number, failed = 0) => {
    return { minute, type: 'mail', enqueued, completed, failed, dead: 0 }
  }

  const history = { minutes: [20, 96, 97, 99], types: { mail: { backlog: [5, 20_000, 0, 4] } } }

  it('contains the recorded backlog with gaps, and the counts of the last hour', () => {
    const minutes = [row(99, 10, 4), row(100, 2, 5, 1), row(20, 99, 99, 99)]
    const input = { minutes, history, now: 100 * MINUTE, backlogNow: 7 }
    const { backlog, completed, completedPerMinute, failureRate } = flowOf('mail', input)
    expect([backlog.length, backlog.slice(-6)]).toEqual([FLOW_MINUTES, [null, 20_000, 0, null, 4, 7]])
    expect([completed.slice(-3), completedPerMinute, failureRate]).toEqual([[0, 4, 5], 9 / 15, 0.1])
    expect(flowOf('other', input).backlog.slice(-6)).toEqual([null, 0, 0, null, 0, 7])
  })

  it('has no failure rate when nothing ran', () => {
    const input = { minutes: [], history, now: 0, backlogNow: 3 }
    expect(flowOf('mail', input)).toMatchObject({ completedPerMinute: 0, failureRate: null })
  })
})

describe('a sparkline', () => {
  it('draws one line for each unbroken sequence of known values', () => {
    expect(linesOf([null, 0, 2, null, 1])).toEqual(['25.00,23.00 50.00,1.00', '100.00,12.00 100.00,12.00'])
    expect(linesOf([null, null])).toEqual([])
  })
})
