/** Reads of numbers: exact counts, how long work has been waiting, and the minutes behind the charts. */
import { addHistogram, decodeHistogram } from '../../../../shared/histogram.ts'
import { emptyCounts, isStatus, type StatusCounts } from '../../../../shared/status.ts'
import type { DepthRow, MinuteRow } from '../../records.ts'
import type { Encoded } from '../../rows/stored-json.ts'
import { type ActivityRecord, sumActivity } from '../../stats/activity.ts'
import type { Counts } from '../../stats/status-counts.ts'
import type { Reads } from '../../store.ts'
import type { Queryable } from '../connection/open.ts'
import { IN_INDEX_ORDER, inSnapshot } from '../connection/snapshot.ts'
import type { ReadOptions } from './read-options.ts'

type StatsReads = Pick<Reads, 'counts' | 'totals' | 'oldestReady' | 'minutes' | 'activity' | 'depths'>
type MinuteRecord = Encoded<MinuteRow, 'waits' | 'runs'>
type Minute = { -readonly [Key in keyof MinuteRow]: MinuteRow[Key] } & { waits: number[]; runs: number[] }

// Not rows but sums: every commit adds its own. By bytes, as SQLite sorts. As one JSON text, because the driver makes an object of
// every row.
const countsText = (where: string) => `select coalesce(
    json_agg(json_build_array(type, status, n) order by type collate "C"), '[]')::text as counts
  from (select type, status, sum(n)::bigint as n from millrace_job_counts ${where} group by type, status) summed`
const COUNTS = { name: 'read-counts', text: countsText('') }
const COUNTS_OF_TYPE = { name: 'read-counts-of-type', text: countsText('where type = $1') }

const TOTALS = {
  name: 'read-totals',
  text: 'select status, sum(n)::bigint as n from millrace_job_counts group by status',
}

/** Beyond so many priorities in use, reading all of a type's entries is no dearer than looking each priority up. */
const SEEKS = 200

/** A type with no more ready jobs than this has all its entries read at once. */
const FEW = 40

// Each priority's first entry is its oldest, so one seek per priority in use finds the oldest of a type with many jobs.
// `offset 0` keeps the planner from joining with a scan of the whole table.
const headsText = (where: string) => `with recursive ready as materialized (
    select type, sum(n) as n from millrace_job_counts where status = 'pending' ${where} group by type having sum(n) > 0
  ), head as (
    select t.type, h.priority, h.run_at, 1 as seeks
    from ready t
    cross join lateral (
      select priority, run_at from millrace_jobs where status = 'pending' and type = t.type
      order by priority desc, run_at, seq limit 1
    ) h
    where t.n > ${FEW}
    union all
    select p.type, h.priority, h.run_at, p.seeks + 1 from head p
    cross join lateral (
      select priority, run_at from millrace_jobs where status = 'pending' and type = p.type and priority < p.priority
      order by priority desc, run_at, seq limit 1
    ) h
    where p.seeks < ${SEEKS}
  ), few as (
    select t.type, j.run_at from ready t
    cross join lateral (select run_at from millrace_jobs where status = 'pending' and type = t.type offset 0) j
    where t.n <= ${FEW}
  )
  select type, min(run_at) as "runAt", max(seeks) as seeks from head group by type
  union all select type, min(run_at), 1 from few group by type`
const HEADS = headsText('')
const HEADS_OF_TYPE = headsText('and type = $1')

const SCAN = `select type, min(run_at) as "runAt" from millrace_jobs where status = 'pending' and type = any($1::text[])
  group by type`

const MINUTES = `select minute, type, enqueued, completed, failed, dead, waits, runs from millrace_job_minutes
  where minute >= $1 and ($2::text is null or type = $2) order by minute, type collate "C"`

const MINUTES_TOGETHER = `select minute, '' as type, sum(enqueued)::bigint as enqueued, sum(completed)::bigint as completed,
    sum(failed)::bigint as failed, sum(dead)::bigint as dead, '[]' as waits, '[]' as runs from millrace_job_minutes
  where minute >= $1 group by minute order by minute`

// Grouped, because most types with little to do have the same histograms: each is decoded once.
const activityText = (where: string) => `select sum(enqueued)::bigint as enqueued, sum(completed)::bigint as completed,
    sum(failed)::bigint as failed, sum(dead)::bigint as dead, sum(run_ms)::bigint as "runMs", waits, runs, count(*) as n
  from millrace_job_minutes where minute >= $1 ${where} group by waits, runs`
const ACTIVITY = { name: 'read-activity', text: activityText('') }
const ACTIVITY_OF_TYPE = { name: 'read-activity-of-type', text: activityText('and type = $2') }

const DEPTHS = `select minute, type, ready, backlog from millrace_job_depths
  where minute >= $1 and ($2::text is null or type = $2 or type = '') order by minute, type collate "C"`

export async function readCounts(queryable: Queryable, only: string | null = null): Promise<Counts> {
  const byType = new Map<string, StatusCounts>()
  const config = only === null ? COUNTS : { ...COUNTS_OF_TYPE, values: [only] }
  const { rows } = await queryable.query<{ counts: string }>(config)
  const counts: readonly (readonly [type: string, status: string, n: number])[] = JSON.parse(rows[0]?.counts ?? '[]')
  for (const [type, status, n] of counts) {
    const ofType = byType.get(type) ?? emptyCounts()
    byType.set(type, ofType)
    if (isStatus(status)) ofType[status] = n
  }
  return byType
}

export function createStatsReads({ open }: Pick<ReadOptions, 'open'>): StatsReads {
  return {
    counts: async (type) => readCounts(open(), type),
    async totals() {
      const totals = emptyCounts()
      const { rows } = await open().query<{ status: string; n: number }>(TOTALS)
      for (const { status, n } of rows) if (isStatus(status)) totals[status] = n
      return totals
    },
    async oldestReady(only = null) {
      const config = only === null ? { text: HEADS } : { text: HEADS_OF_TYPE, values: [only] }
      const { rows } = await inSnapshot(
        open(),
        (client) => client.query<{ type: string; runAt: number; seeks: number }>(config),
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
    async activity({ sinceMinute, type }) {
      const config =
        type === null ? { ...ACTIVITY, values: [sinceMinute] } : { ...ACTIVITY_OF_TYPE, values: [sinceMinute, type] }
      return sumActivity((await open().query<ActivityRecord>(config)).rows)
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
