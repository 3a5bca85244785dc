/** Reads of numbers: exact counts, how long work has been waiting, and the minutes behind the charts. */
import { addHistogram, decodeHistogram } from '../../../shared/histogram.ts'
import { emptyCounts, isStatus, type StatusCounts } from '../../../shared/status.ts'
import type { Counts } from '../status-counts.ts'
import type { DepthRow, MinuteRow, Reads } from '../store.ts'
import type { Encoded } from '../stored-json.ts'
import type { Queryable } from './open.ts'
import type { ReadOptions } from './read-options.ts'
import { IN_INDEX_ORDER, inSnapshot } from './snapshot.ts'

type StatsReads = Pick<Reads, 'counts' | 'oldestReady' | 'minutes' | 'depths'>
type MinuteRecord = Encoded<MinuteRow, 'waits' | 'runs'>
type Minute = { -readonly [Key in keyof MinuteRow]: MinuteRow[Key] } & { waits: number[]; runs: number[] }

// Not rows but sums: every commit adds its own. By bytes, as SQLite sorts.
const COUNTS = `select type, status, sum(n)::bigint as n from job_counts
  group by type, status order by type collate "C"`

/** Beyond so many priorities in use, reading all of a type's entries is no dearer than looking each priority up. */
const SEEKS = 200

// Each priority's first entry is its oldest, so one seek per priority in use finds the oldest of the type.
const HEADS = `with recursive head as (
    select t.type, h.priority, h.run_at, 1 as seeks
    from (select type from job_counts where status = 'pending' group by type having sum(n) > 0) t
    cross join lateral (
      select priority, run_at from jobs where status = 'pending' and type = t.type
      order by priority desc, run_at, seq limit 1
    ) h
    union all
    select p.type, h.priority, h.run_at, p.seeks + 1 from head p
    cross join lateral (
      select priority, run_at from jobs where status = 'pending' and type = p.type and priority < p.priority
      order by priority desc, run_at, seq limit 1
    ) h
    where p.seeks < ${SEEKS}
  ) select type, min(run_at) as "runAt", max(seeks) as seeks from head group by type`

const SCAN = `select type, min(run_at) as "runAt" from jobs where status = 'pending' and type = any($1::text[])
  group by type`

const MINUTES = `select minute, type, enqueued, completed, failed, dead, waits, runs from job_minutes
  where minute >= $1 and ($2::text is null or type = $2) order by minute, type collate "C"`

const MINUTES_TOGETHER = `select minute, '' as type, sum(enqueued)::bigint as enqueued, sum(completed)::bigint as completed,
    sum(failed)::bigint as failed, sum(dead)::bigint as dead, '[]' as waits, '[]' as runs from job_minutes
  where minute >= $1 group by minute order by minute`

const DEPTHS = `select minute, type, ready, backlog from job_depths
  where minute >= $1 and ($2::text is null or type = $2 or type = '') order by minute, type collate "C"`

export async function readCounts(queryable: Queryable): Promise<Counts> {
  const byType = new Map<string, StatusCounts>()
  const { rows } = await queryable.query<{ type: string; status: string; n: number }>({
    name: 'read-counts',
    text: COUNTS,
  })
  for (const { type, status, n } of rows) {
    const ofType = byType.get(type) ?? emptyCounts()
    byType.set(type, ofType)
    if (isStatus(status)) ofType[status] = n
  }
  return byType
}

export function createStatsReads({ open }: Pick<ReadOptions, 'open'>): StatsReads {
  return {
    counts: async () => readCounts(open()),
    async oldestReady() {
      const { rows } = await inSnapshot(
        open(),
        (client) => client.query<{ type: string; runAt: number; seeks: number }>(HEADS),
        IN_INDEX_ORDER,
      )
      const byType = new Map(rows.map(({ type, runAt }) => [type, runAt]))
      const unfinished = rows.filter(({ seeks }) => seeks >= SEEKS).map(({ type }) => type)
      if (unfinished.length > 0) {
        const scanned = await open().query<{ type: string; runAt: number }>(SCAN, [unfinished])
        for (const { type, runAt } of scanned.rows) byType.set(type, runAt)
      }
      return byType
    },
    async minutes({ sinceMinute, type, together = false }) {
      const config =
        together && type === null
          ? { name: 'read-minutes-together', text: MINUTES_TOGETHER, values: [sinceMinute] }
          : { name: 'read-minutes', text: MINUTES, values: [sinceMinute, type] }
      return merge((await open().query<MinuteRecord>(config)).rows)
    },
    async depths({ sinceMinute, type }) {
      const config = { name: 'read-depths', text: DEPTHS, values: [sinceMinute, type] }
      return (await open().query<DepthRow>(config)).rows
    },
  }
}

/** Several rows may tell of the same minute and type; they come one behind the other. */
function merge(records: readonly MinuteRecord[]): readonly MinuteRow[] {
  const minutes: Minute[] = []
  for (const record of records) {
    const row = { ...record, waits: decodeHistogram(record.waits), runs: decodeHistogram(record.runs) }
    const last = minutes.at(-1)
    if (last?.minute !== row.minute || last.type !== row.type) {
      minutes.push(row)
      continue
    }
    last.enqueued += row.enqueued
    last.completed += row.completed
    last.failed += row.failed
    last.dead += row.dead
    addHistogram(last.waits, row.waits)
    addHistogram(last.runs, row.runs)
  }
  return minutes
}
