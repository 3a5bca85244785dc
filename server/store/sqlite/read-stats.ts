/** Reads of numbers: exact counts, how long work has been waiting, and the minutes behind the charts. */
import { decodeHistogram } from '../../../shared/histogram.ts'
import { limits } from '../../../shared/limits.ts'
import { emptyCounts, isStatus, type StatusCounts } from '../../../shared/status.ts'
import type { DepthRow, MinuteRow } from '../store.ts'
import type { Client } from './open.ts'
import type { SyncReads } from './sync-reads.ts'

type StatsReads = Pick<SyncReads, 'counts' | 'oldestReady' | 'minutes' | 'depths'>

type MinuteRecord = Omit<MinuteRow, 'waits' | 'runs'> & { readonly waits: string; readonly runs: string }

const MINUTE_COLUMNS = 'minute, type, enqueued, completed, failed, dead, waits, runs'

/** One seek costs as much as reading this many entries in a row: with that many priorities a scan is cheaper. */
const SEEK = 20

export function createStatsReads(client: Client): StatsReads {
  const counts = client.prepare<[], { type: string; status: string; n: number }>(
    'select type, status, n from job_counts order by type',
  )
  const readyTypes = client.prepare<[], { type: string; n: number }>(
    `select type, n from job_counts where status = 'pending' and n > 0`,
  )
  // Each priority's first entry is its oldest, so one seek per priority in use finds the oldest of the type.
  const nextPriority = client.prepare<[string, number], { priority: number; runAt: number }>(
    `select priority, run_at as runAt from jobs indexed by jobs_claim
    where status = 'pending' and type = ? and priority < ? order by priority desc, run_at, seq limit 1`,
  )
  const scan = client.prepare<[string], { runAt: number | null }>(
    `select min(run_at) as runAt from jobs indexed by jobs_claim where status = 'pending' and type = ?`,
  )
  const minutes = client.prepare<[number], MinuteRecord>(
    `select ${MINUTE_COLUMNS} from job_minutes where minute >= ? order by minute, type`,
  )
  const minutesTogether = client.prepare<[number], MinuteRecord>(
    `select minute, '' as type, sum(enqueued) as enqueued, sum(completed) as completed, sum(failed) as failed,
      sum(dead) as dead, '[]' as waits, '[]' as runs from job_minutes where minute >= ? group by minute order by minute`,
  )
  const minutesOfType = client.prepare<[number, string], MinuteRecord>(
    `select ${MINUTE_COLUMNS} from job_minutes where minute >= ? and type = ? order by minute`,
  )

  const depths = client.prepare<[{ since: number; type: string | null }], DepthRow>(
    `select minute, type, ready, backlog from job_depths
    where minute >= @since and (@type is null or type = @type or type = '') order by minute, type`,
  )

  function oldestOf(type: string, pending: number): number | null {
    let oldest = Number.POSITIVE_INFINITY
    let head = nextPriority.get(type, limits.priority + 1)
    for (let seeks = 1; head; seeks++) {
      if (seeks * SEEK > pending + SEEK) return scan.get(type)?.runAt ?? null
      oldest = Math.min(oldest, head.runAt)
      head = nextPriority.get(type, head.priority)
    }
    return Number.isFinite(oldest) ? oldest : null
  }

  return {
    counts() {
      const byType = new Map<string, StatusCounts>()
      for (const { type, status, n } of counts.all()) {
        const ofType = byType.get(type) ?? emptyCounts()
        byType.set(type, ofType)
        if (isStatus(status)) ofType[status] = n
      }
      return byType
    },
    oldestReady() {
      const byType = new Map<string, number>()
      for (const { type, n } of readyTypes.all()) {
        const oldest = oldestOf(type, n)
        if (oldest !== null) byType.set(type, oldest)
      }
      return byType
    },
    depths: ({ sinceMinute, type }) => depths.all({ since: sinceMinute, type }),
    minutes({ sinceMinute, type, together = false }) {
      const ofAll = together ? minutesTogether : minutes
      const rows = type === null ? ofAll.all(sinceMinute) : minutesOfType.all(sinceMinute, type)
      return rows.map((row) => ({ ...row, waits: decodeHistogram(row.waits), runs: decodeHistogram(row.runs) }))
    },
  }
}
