/** Reads of counts, of the oldest waiting jobs, and of the minutes behind the charts. */

import { addHistogram, decodeHistogram } from '../../../../shared/stats/histogram.ts'
import type { MinuteRow } from '../../../../shared/stats/stats.ts'
import { emptyCounts, isStatus, type StatusCounts } from '../../../../shared/status.ts'
import { columnsOf, type Row, type RowOf } from '../../rows/tables.ts'
import { type ActivityRecord, sumActivity } from '../../stats/activity.ts'
import type { Counts } from '../../stats/status-counts.ts'
import type { Reads } from '../../store.ts'
import type { Queryable } from '../connection/open.ts'
import { IN_INDEX_ORDER, inSnapshot } from '../connection/snapshot.ts'
import type { ReadOptions } from './read-options.ts'

type StatsReads = Pick<Reads, 'counts' | 'totals' | 'oldestReady' | 'minutes' | 'activity' | 'depths'>
type MinuteRecord = RowOf<typeof MINUTE>
type Minute = { -readonly [Key in keyof MinuteRow]: MinuteRow[Key] } & { waits: number[]; runs: number[] }

// Sums, because every node has separate rows. Sorted by bytes, as SQLite sorts. One JSON text, because the driver would create an
// object per row.
const countsText = (where: string) => `SELECT coalesce(
    json_agg(json_build_array(type, status, n) ORDER BY type COLLATE "C"), '[]')::text AS counts
  FROM (SELECT type, status, sum(n)::bigint AS n FROM millrace_job_counts ${where} GROUP BY type, status) summed`
const COUNTS = { name: 'read-counts', text: countsText('') }
const COUNTS_OF_TYPE = { name: 'read-counts-of-type', text: countsText('WHERE type = $1') }

const TOTALS = {
  name: 'read-totals',
  text: 'SELECT status, sum(n)::bigint AS n FROM millrace_job_counts GROUP BY status',
}

/** With more priorities in use than this, reading all entries of a type costs no more than one seek per priority. */
const SEEKS = 200

/** The entries of a type with at most this many ready jobs are all read. */
const FEW = 40

// Each priority's first entry is its oldest, so one seek per priority in use finds the oldest of a type with many jobs.
// `offset 0` keeps the planner from joining with a scan of the whole table.
const headsText = (where: string) => `WITH RECURSIVE ready AS MATERIALIZED (
    SELECT type, sum(n) AS n FROM millrace_job_counts WHERE status = 'pending' ${where} GROUP BY type HAVING sum(n) > 0
  ), head AS (
    SELECT t.type, h.priority, h.run_at, 1 AS seeks
    FROM ready t
    CROSS JOIN LATERAL (
      SELECT priority, run_at FROM millrace_jobs WHERE status = 'pending' AND type = t.type
      ORDER BY priority DESC, run_at, seq LIMIT 1
    ) h
    WHERE t.n > ${FEW}
    UNION ALL
    SELECT p.type, h.priority, h.run_at, p.seeks + 1 FROM head p
    CROSS JOIN LATERAL (
      SELECT priority, run_at FROM millrace_jobs WHERE status = 'pending' AND type = p.type AND priority < p.priority
      ORDER BY priority DESC, run_at, seq LIMIT 1
    ) h
    WHERE p.seeks < ${SEEKS}
  ), few AS (
    SELECT t.type, j.run_at FROM ready t
    CROSS JOIN LATERAL (SELECT run_at FROM millrace_jobs WHERE status = 'pending' AND type = t.type OFFSET 0) j
    WHERE t.n <= ${FEW}
  )
  SELECT type, min(run_at) AS "runAt", max(seeks) AS seeks FROM head GROUP BY type
  UNION ALL SELECT type, min(run_at), 1 FROM few GROUP BY type`
const HEADS = headsText('')
const HEADS_OF_TYPE = headsText('AND type = $1')

const SCAN = `SELECT type, min(run_at) AS "runAt" FROM millrace_jobs WHERE status = 'pending' AND type = ANY($1::text[])
  GROUP BY type`

const MINUTE = columnsOf('jobMinutes', ['minute', 'type', 'enqueued', 'completed', 'failed', 'dead', 'waits', 'runs'])
const MINUTES = `SELECT ${MINUTE.list} FROM millrace_job_minutes
  WHERE minute >= $1 AND ($2::text IS NULL OR type = $2) ORDER BY minute, type COLLATE "C"`

const MINUTES_TOGETHER = `SELECT minute, '' AS type, sum(enqueued)::bigint AS enqueued, sum(completed)::bigint AS completed,
    sum(failed)::bigint AS failed, sum(dead)::bigint AS dead, '[]' AS waits, '[]' AS runs FROM millrace_job_minutes
  WHERE minute >= $1 GROUP BY minute ORDER BY minute`

// Grouped by histogram, because most idle types have the same ones: each is decoded once.
const activityText = (where: string) => `SELECT sum(enqueued)::bigint AS enqueued, sum(completed)::bigint AS completed,
    sum(failed)::bigint AS failed, sum(dead)::bigint AS dead, sum(run_ms)::bigint AS "runMs", waits, runs, count(*) AS n
  FROM millrace_job_minutes WHERE minute >= $1 ${where} GROUP BY waits, runs`
const ACTIVITY = { name: 'read-activity', text: activityText('') }
const ACTIVITY_OF_TYPE = { name: 'read-activity-of-type', text: activityText('AND type = $2') }

const DEPTH = columnsOf('jobDepths', ['minute', 'type', 'ready', 'backlog'])
const DEPTHS = `SELECT ${DEPTH.list} FROM millrace_job_depths
  WHERE minute >= $1 AND ($2::text IS NULL OR type = $2 OR type = '') ORDER BY minute, type COLLATE "C"`

export async function readCounts(queryable: Queryable, only: string | null = null): Promise<Counts> {
  const byType = new Map<string, StatusCounts>()
  const config = only === null ? COUNTS : { ...COUNTS_OF_TYPE, values: [only] }
  const { rows } = await queryable.query<{ counts: string }>(config)
  const counts: readonly (readonly [type: string, status: string, n: number])[] = JSON.parse(rows[0]?.counts ?? '[]')
  for (const [type, status, n] of counts) {
    if (!isStatus(status)) continue
    const ofType = byType.get(type) ?? emptyCounts()
    byType.set(type, ofType)
    ofType[status] = n
  }
  return byType
}

export function createStatsReads({ open }: Pick<ReadOptions, 'open'>): StatsReads {
  return {
    counts: async (type) => readCounts(open(), type),
    async totals() {
      const totals = emptyCounts()
      const { rows } = await open().query<Row<'jobCounts', 'status' | 'n'>>(TOTALS)
      for (const { status, n } of rows) if (isStatus(status)) totals[status] = n
      return totals
    },
    async oldestReady(only = null) {
      const config = only === null ? { text: HEADS } : { text: HEADS_OF_TYPE, values: [only] }
      const { rows } = await inSnapshot(
        open(),
        (client) => client.query<Row<'jobs', 'type' | 'runAt'> & { readonly seeks: number }>(config),
        IN_INDEX_ORDER,
      )
      const byType = new Map(rows.map(({ type, runAt }) => [type, runAt]))
      const unfinished = rows.filter(({ seeks }) => seeks >= SEEKS).map(({ type }) => type)
      if (unfinished.length > 0) {
        const scanned = await open().query<Row<'jobs', 'type' | 'runAt'>>(SCAN, [unfinished])
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
      return (await open().query<RowOf<typeof DEPTH>>(config)).rows
    },
  }
}

/** Adds up the rows of the same minute and type, which are adjacent. */
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
