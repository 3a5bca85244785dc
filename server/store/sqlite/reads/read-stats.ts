/** Reads of numbers: exact counts, how long work has been waiting, and the minutes behind the charts. */
import { decodeHistogram } from '../../../../shared/histogram.ts'
import { limits } from '../../../../shared/limits.ts'
import type { DepthRow, MinuteRow } from '../../records.ts'
import { type ActivityRecord, sumActivity } from '../../stats/activity.ts'
import { KeptCounts } from '../commit/kept-counts.ts'
import type { Client } from '../connection/open.ts'
import type { SyncReads } from './sync-reads.ts'

type StatsReads = Pick<SyncReads, 'counts' | 'totals' | 'oldestReady' | 'minutes' | 'activity' | 'depths'>

type MinuteRecord = Omit<MinuteRow, 'waits' | 'runs'> & { readonly waits: string; readonly runs: string }

const MINUTE_COLUMNS = 'minute, type, enqueued, completed, failed, dead, waits, runs'

/** One seek costs as much as reading this many entries in a row: with that many priorities a scan is cheaper. */
const SEEK = 20
/** A type takes two seeks at least: with no more jobs than this its entries are read together with those of its neighbours. */
const FEW = 2 * SEEK

// Grouped, because most types with little to do have the same histograms: each is decoded once.
const ACTIVITY = `sum(enqueued) as enqueued, sum(completed) as completed, sum(failed) as failed, sum(dead) as dead,
  sum(run_ms) as runMs, waits, runs, count(*) as n from millrace_job_minutes where minute >= @since`

export function createStatsReads(client: Client, counts = new KeptCounts(client)): StatsReads {
  const readyTypes = client.prepare<[], { type: string; n: number }>(
    `select type, n from millrace_job_counts where status = 'pending' and n > 0 order by type`,
  )
  const readyType = client.prepare<[string], { type: string; n: number }>(
    `select type, n from millrace_job_counts where type = ? and status = 'pending' and n > 0`,
  )
  const scanTypes = client
    .prepare<[string, string], [type: string, runAt: number]>(
      `select type, min(run_at) from millrace_jobs indexed by millrace_jobs_claim
      where status = 'pending' and type >= ? and type <= ? group by type`,
    )
    .raw()
  // Each priority's first entry is its oldest, so one seek per priority in use finds the oldest of the type.
  const nextPriority = client.prepare<[string, number], { priority: number; runAt: number }>(
    `select priority, run_at as runAt from millrace_jobs indexed by millrace_jobs_claim
    where status = 'pending' and type = ? and priority < ? order by priority desc, run_at, seq limit 1`,
  )
  const scan = client.prepare<[string], { runAt: number | null }>(
    `select min(run_at) as runAt from millrace_jobs indexed by millrace_jobs_claim where status = 'pending' and type = ?`,
  )
  const minutes = client.prepare<[number], MinuteRecord>(
    `select ${MINUTE_COLUMNS} from millrace_job_minutes where minute >= ? order by minute, type`,
  )
  const minutesTogether = client.prepare<[number], MinuteRecord>(
    `select minute, '' as type, sum(enqueued) as enqueued, sum(completed) as completed, sum(failed) as failed,
      sum(dead) as dead, '[]' as waits, '[]' as runs from millrace_job_minutes where minute >= ? group by minute order by minute`,
  )
  const minutesOfType = client.prepare<[number, string], MinuteRecord>(
    `select ${MINUTE_COLUMNS} from millrace_job_minutes where minute >= ? and type = ? order by minute`,
  )

  const activity = client.prepare<[{ since: number }], ActivityRecord>(`select ${ACTIVITY} group by waits, runs`)
  const activityOfType = client.prepare<[{ since: number; type: string }], ActivityRecord>(
    `select ${ACTIVITY} and type = @type group by waits, runs`,
  )
  const depths = client.prepare<[{ since: number; type: string | null }], DepthRow>(
    `select minute, type, ready, backlog from millrace_job_depths
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
      // One scan for a run of types with few jobs each, however many types that are.
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
