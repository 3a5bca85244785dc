/** Reads of counts, of the oldest waiting jobs, and of the minutes behind the charts. */

import { limits } from '../../../../shared/limits.ts'
import { decodeHistogram } from '../../../../shared/stats/histogram.ts'
import { columnsOf, type Row, type RowOf } from '../../rows/tables.ts'
import { type ActivityRecord, sumActivity } from '../../stats/activity.ts'
import { KeptCounts } from '../commit/kept-counts.ts'
import type { Client } from '../connection/open.ts'
import type { SyncReads } from './sync-reads.ts'

type StatsReads = Pick<SyncReads, 'counts' | 'totals' | 'oldestReady' | 'minutes' | 'activity' | 'depths'>

const MINUTE = columnsOf('jobMinutes', ['minute', 'type', 'enqueued', 'completed', 'failed', 'dead', 'waits', 'runs'])
type MinuteRecord = RowOf<typeof MINUTE>
const DEPTH = columnsOf('jobDepths', ['minute', 'type', 'ready', 'backlog'])

/** One seek costs as much as reading this many consecutive entries. */
const SEEK = 20
/** A type takes at least two seeks, so the entries of a type with at most this many jobs are read in one scan with its neighbours. */
const FEW = 2 * SEEK

// Grouped by histogram, because most idle types have the same ones: each is decoded once.
const ACTIVITY = `sum(enqueued) AS enqueued, sum(completed) AS completed, sum(failed) AS failed, sum(dead) AS dead,
  sum(run_ms) AS runMs, waits, runs, count(*) AS n FROM millrace_job_minutes WHERE minute >= @since`

export function createStatsReads(client: Client, counts = new KeptCounts(client)): StatsReads {
  const readyTypes = client.prepare<[], Row<'jobCounts', 'type' | 'n'>>(
    `SELECT type, n FROM millrace_job_counts WHERE status = 'pending' AND n > 0 ORDER BY type`,
  )
  const readyType = client.prepare<[string], Row<'jobCounts', 'type' | 'n'>>(
    `SELECT type, n FROM millrace_job_counts WHERE type = ? AND status = 'pending' AND n > 0`,
  )
  const scanTypes = client
    .prepare<[string, string], [type: string, runAt: number]>(
      `SELECT type, min(run_at) FROM millrace_jobs INDEXED BY millrace_jobs_claim
      WHERE status = 'pending' AND type >= ? AND type <= ? GROUP BY type`,
    )
    .raw()
  // Each priority's first entry is its oldest, so one seek per priority in use finds the oldest of the type.
  const nextPriority = client.prepare<[string, number], Row<'jobs', 'priority' | 'runAt'>>(
    `SELECT priority, run_at AS runAt FROM millrace_jobs INDEXED BY millrace_jobs_claim
    WHERE status = 'pending' AND type = ? AND priority < ? ORDER BY priority DESC, run_at, seq LIMIT 1`,
  )
  const scan = client
    .prepare<[string], number | null>(
      `SELECT min(run_at) FROM millrace_jobs INDEXED BY millrace_jobs_claim WHERE status = 'pending' AND type = ?`,
    )
    .pluck()
  const minutes = client.prepare<[number], MinuteRecord>(
    `SELECT ${MINUTE.list} FROM millrace_job_minutes WHERE minute >= ? ORDER BY minute, type`,
  )
  const minutesTogether = client.prepare<[number], MinuteRecord>(
    `SELECT minute, '' AS type, sum(enqueued) AS enqueued, sum(completed) AS completed, sum(failed) AS failed,
      sum(dead) AS dead, '[]' AS waits, '[]' AS runs FROM millrace_job_minutes WHERE minute >= ? GROUP BY minute ORDER BY minute`,
  )
  const minutesOfType = client.prepare<[number, string], MinuteRecord>(
    `SELECT ${MINUTE.list} FROM millrace_job_minutes WHERE minute >= ? AND type = ? ORDER BY minute`,
  )

  const activity = client.prepare<[{ since: number }], ActivityRecord>(`SELECT ${ACTIVITY} GROUP BY waits, runs`)
  const activityOfType = client.prepare<[{ since: number; type: string }], ActivityRecord>(
    `SELECT ${ACTIVITY} AND type = @type GROUP BY waits, runs`,
  )
  const depths = client.prepare<[{ since: number; type: string | null }], RowOf<typeof DEPTH>>(
    `SELECT ${DEPTH.list} FROM millrace_job_depths
    WHERE minute >= @since AND (@type IS NULL OR type = @type OR type = '') ORDER BY minute, type`,
  )

  function oldestOf(type: string, pending: number): number | null {
    let oldest = Number.POSITIVE_INFINITY
    let head = nextPriority.get(type, limits.priority + 1)
    for (let seeks = 1; head; seeks++) {
      if (seeks * SEEK > pending + SEEK) return scan.get(type) ?? null
      oldest = Math.min(oldest, head.runAt)
      head = nextPriority.get(type, head.priority)
    }
    return Number.isFinite(oldest) ? oldest : null
  }

  return {
    counts(only = null) {
      const all = counts.byType()
      if (only === null) return all
      const ofType = all.get(only)
      return new Map(ofType && [[only, ofType]])
    },
    totals: () => counts.totals(),
    oldestReady(only = null) {
      const byType = new Map<string, number>()
      const few: string[] = []
      // One scan for consecutive types with few jobs each.
      const scanFew = () => {
        const [first, last] = [few[0], few.at(-1)]
        few.length = 0
        if (first === undefined || last === undefined) return
        for (const [type, runAt] of scanTypes.all(first, last)) byType.set(type, runAt)
      }
      for (const { type, n } of only === null ? readyTypes.all() : readyType.all(only)) {
        if (n <= FEW) {
          few.push(type)
          continue
        }
        scanFew()
        const oldest = oldestOf(type, n)
        if (oldest !== null) byType.set(type, oldest)
      }
      scanFew()
      return byType
    },
    activity: ({ sinceMinute: since, type }) =>
      sumActivity(type === null ? activity.all({ since }) : activityOfType.all({ since, type })),
    depths: ({ sinceMinute, type }) => depths.all({ since: sinceMinute, type }),
    minutes({ sinceMinute, type, together = false }) {
      const ofAll = together ? minutesTogether : minutes
      const rows = type === null ? ofAll.all(sinceMinute) : minutesOfType.all(sinceMinute, type)
      return rows.map((row) => ({ ...row, waits: decodeHistogram(row.waits), runs: decodeHistogram(row.runs) }))
    },
  }
}
