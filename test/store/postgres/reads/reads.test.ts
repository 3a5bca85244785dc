/** PostgreSQL reads of rows that the test inserts: the cases of SQLite, and those of this dialect. */
import { describe, expect, it } from 'vitest'
import { emptyHistogram } from '../../../../shared/stats/histogram.ts'
import { emptyCounts } from '../../../../shared/status.ts'
import { describeControlReads } from '../../reads/control.ts'
import { describeJobReads } from '../../reads/jobs.ts'
import { describeLists } from '../../reads/lists.ts'
import { describeListEdges } from '../../reads/search.ts'
import { PostgresRows } from '../rows.ts'

const makeRows = () => new PostgresRows()

describeJobReads(makeRows)
describeLists(makeRows)
describeListEdges(makeRows)
describeControlReads(makeRows)

describe('the counters', () => {
  it('of all nodes are summed, including negative ones', async () => {
    const rows = makeRows()
    const counters = [
      ['pending', 'a', 3],
      ['processing', 'a', 1],
      ['pending', 'b', -1],
      ['pending', 'c', -2],
      ['completed', 'b', 1],
      ['processing', '', -1],
    ] as const
    for (const [status, node, n] of counters) rows.insert('millrace_job_counts', { type: 'report', status, node, n })
    const reads = await rows.reads()
    expect([...(await reads.counts())]).toEqual([['report', { ...emptyCounts(), completed: 1 }]])
    expect([...(await reads.oldestReady())]).toEqual([])
  })

  it('of one minute and type are merged into one row', async () => {
    const rows = makeRows()
    for (const [minute, type, n] of [
      [7, 'b', 1],
      [6, 'b', 2],
      [7, 'B', 4],
      [7, 'b', 8],
      [6, 'b', 16],
    ] as const) {
      const numbers = { enqueued: n, completed: n * 2, failed: n * 3, dead: n * 4 }
      rows.insert('millrace_job_minutes', { minute, type, ...numbers, waits: `[0,${n}]`, runs: `[${n},0,1]` })
    }
    const expected = (minute: number, type: string, n: number, runs: number) => ({
      ...{ minute, type, enqueued: n, completed: n * 2, failed: n * 3, dead: n * 4 },
      ...{ waits: [0, n, ...emptyHistogram().slice(2)], runs: [n, 0, runs, ...emptyHistogram().slice(3)] },
    })
    expect(await (await rows.reads()).minutes({ sinceMinute: 6, type: null })).toEqual([
      expected(6, 'b', 18, 2),
      expected(7, 'B', 4, 1),
      expected(7, 'b', 9, 2),
    ])
  })
})

it('finds the oldest ready job with more priorities than it looks up one by one', async () => {
  const rows = makeRows()
  for (let n = 1; n <= 450; n++) rows.job({ columns: { priority: n, run_at: 1_000 + n } })
  rows.job({ type: 'few', columns: { run_at: 77 } })
  expect(Object.fromEntries(await (await rows.reads()).oldestReady())).toEqual({ report: 1_001, few: 77 })
})
