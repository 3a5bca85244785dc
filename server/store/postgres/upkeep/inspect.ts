/** Inspects a PostgreSQL queue without changing it: durability, clock, stuck jobs, counters, indexes, old transactions. */
import { getTableConfig } from 'drizzle-orm/pg-core'
import type { QueryResultRow } from 'pg'
import { tables } from '../../../../drizzle/postgres/tables.ts'
import { DAY } from '../../../../shared/limits.ts'
import type { Clock } from '../../../base/clock.ts'
import type { JobGroup } from '../../decisions/group-of-job.ts'
import {
  BELIEVED_MS,
  bad,
  clockWaits,
  type Delays,
  type Finding,
  judgeCounters,
  judgeDelays,
  judgeIndexes,
  judgeSchedules,
  LATE_MS,
  ok,
  type ReadyRows,
  type ScheduleRows,
  skipped,
  warn,
} from '../../findings.ts'
import type { Row } from '../../rows/tables.ts'
import { CLOCK } from '../commit/control.ts'
import { connectPostgres } from '../connection/open.ts'

export interface InspectPostgresOptions {
  readonly url: string
  readonly clock: Clock
  /** Skip checks that read every row. */
  readonly isQuick: boolean
}

type QueryRow = <Row extends QueryResultRow>(text: string, values?: unknown[]) => Promise<Row>

const MAX_SKEW_MS = 5_000

export async function inspectPostgres({ url, clock, isQuick }: InspectPostgresOptions): Promise<readonly Finding[]> {
  const { pool, version, durability } = await connectPostgres(url, { poolSize: 1 })
  const client = await pool.connect()
  const queryRow: QueryRow = async <Row extends QueryResultRow>(text: string, values: unknown[] = []) => {
    const { rows } = await client.query<Row>(withoutTimeout(text, values))
    if (!rows[0]) throw new Error('The database returned no row.')
    return rows[0]
  }
  try {
    const { exists } = await queryRow<{ exists: boolean }>(
      `SELECT to_regclass('millrace_job_counts') IS NOT NULL AS exists`,
    )
    if (!exists) return [bad('tables', 'this database has no queue; create one with queuectl init')]
    const skew = await readSkew(queryRow, clock)
    // One snapshot for all checks below: otherwise a job that changes in between would look like an error.
    await client.query('BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY')
    await client.query('SET LOCAL statement_timeout = 0')
    const findings = [
      ok('database', `PostgreSQL ${version}, ${(await queryRow<{ size: string }>(SIZE)).size}`),
      durability === 'full'
        ? ok('durability', 'fsync and synchronous_commit are on')
        : warn('durability', 'synchronous_commit is off: a crash may lose the last acknowledged jobs'),
      skew,
      ...judgeDelays(
        await queryRow<Delays & QueryResultRow>(DELAYS, [LATE_MS]),
        await queryRow<ReadyRows & QueryResultRow>(READY),
      ),
      ...judgeSchedules(await queryRow<ScheduleRows & QueryResultRow>(SCHEDULES, [LATE_MS])),
      judgeTransactions((await queryRow<{ seconds: number }>(OLDEST_TRANSACTION)).seconds),
      await inspectIndexes(queryRow),
      isQuick ? skipped('counters', 'skipped by --quick') : await inspectCounters(queryRow),
    ]
    await client.query('ROLLBACK')
    return findings
  } finally {
    client.release()
    await pool.end()
  }
}

/** Counting a large table may take longer than the usual timeout. */
function withoutTimeout(text: string, values: unknown[]) {
  return { text, values, query_timeout: DAY }
}

const SIZE = 'SELECT pg_size_pretty(pg_database_size(current_database())) AS size'

const DELAYS = `WITH clock AS (SELECT floor(extract(epoch FROM clock_timestamp()) * 1000)::bigint AS now)
  SELECT now, (SELECT max(until) FROM millrace_leadership WHERE name = 'upkeep') AS "upkeepUntil",
    (SELECT coalesce(sum(n), 0)::bigint FROM millrace_job_counts
      WHERE type <> '' AND status NOT IN ('completed', 'failed', 'cancelled')) AS unfinished,
    (SELECT count(*) FROM millrace_jobs WHERE status = 'processing' AND lease_until < now - $1::bigint) AS "endedLeases",
    (SELECT count(*) FROM millrace_jobs WHERE status IN ('scheduled', 'retrying') AND run_at < now - $1::bigint) AS overdue
  FROM clock`

const READY = `SELECT coalesce((SELECT value = 'true' FROM millrace_settings WHERE key = 'paused'), false) AS "isQueuePaused",
    (SELECT coalesce(json_agg(waiting), '[]') FROM (
      SELECT name, kind, declared, override, count(*) AS ready, min(run_at) AS "readySince"
      FROM millrace_jobs JOIN millrace_job_types ON name = type WHERE status = 'pending' GROUP BY name) waiting) AS types,
    (SELECT coalesce(json_agg(json_build_object('types', types, 'drainRequestedAt', drain_requested_at)), '[]') FROM millrace_workers
      WHERE seen_at > floor(extract(epoch FROM clock_timestamp()) * 1000)::bigint - 60000) AS workers`

const SCHEDULES = `WITH clock AS (SELECT floor(extract(epoch FROM clock_timestamp()) * 1000)::bigint AS now)
  SELECT now, (SELECT count(*) FROM millrace_schedules) AS total,
    (SELECT coalesce(json_agg(json_build_object('name', name, 'nextRunAt', next_run_at, 'pausedBy', paused_by,
        'pauseNote', pause_note, 'orphanedAt', orphaned_at) ORDER BY name), '[]') FROM millrace_schedules
      WHERE next_run_at < now - $1::bigint OR paused_by = 'upkeep' OR orphaned_at IS NOT NULL) AS schedules
  FROM clock`

// Vacuum cannot remove rows that an old transaction may still read.
const OLDEST_TRANSACTION = `SELECT coalesce(max(extract(epoch FROM clock_timestamp() - xact_start)), 0)::int AS seconds
  FROM pg_stat_activity WHERE datname = current_database() AND pid <> pg_backend_pid()`
const OLD_SECONDS = 300

const WRONG_COUNTERS = `SELECT json_agg(json_build_object('type', type, 'status', status)) AS wrong,
    (SELECT count(*) FROM millrace_jobs) AS total
  FROM (SELECT type, status FROM (
      SELECT type, status, n::bigint FROM millrace_job_counts WHERE type <> ''
      UNION ALL SELECT type, status, -count(*) FROM millrace_jobs GROUP BY type, status
    ) counted GROUP BY type, status HAVING sum(n) <> 0) differing`

/** Reads only the unfinished jobs with a key, by their index. */
const WRONG_KEYS = `SELECT json_agg(json_build_object('name', name, 'key', key)) AS wrong
  FROM (SELECT name, key FROM (
      SELECT name, key, pending, processing, blocked FROM millrace_job_groups
      UNION ALL SELECT group_name, group_key, -count(*) FILTER (WHERE status = 'pending'),
        -count(*) FILTER (WHERE status = 'processing'), -count(*) FILTER (WHERE status = 'blocked')
      FROM millrace_jobs WHERE group_key IS NOT NULL AND finished_at IS NULL GROUP BY group_name, group_key
    ) AS counted GROUP BY name, key HAVING sum(pending) <> 0 OR sum(processing) <> 0 OR sum(blocked) <> 0 LIMIT 2) AS differing`

const INDEXES = `SELECT coalesce(json_agg(i.relname), '[]') AS found,
    coalesce(json_agg(i.relname) FILTER (WHERE NOT x.indisvalid), '[]') AS broken
  FROM pg_index x JOIN pg_class i ON i.oid = x.indexrelid JOIN pg_class t ON t.oid = x.indrelid
  WHERE t.relname = ANY($1::text[]) AND pg_table_is_visible(t.oid) AND NOT x.indisprimary`

interface ClockRow {
  readonly now: number
  readonly upkeepUntil: number | null
  readonly trustedAt: number | null
}

const CLOCK_ROW = `SELECT floor(extract(epoch FROM clock_timestamp()) * 1000)::bigint AS now,
  (SELECT until FROM millrace_leadership WHERE name = 'upkeep') AS "upkeepUntil",
  (SELECT until FROM millrace_leadership WHERE name = '${CLOCK}') AS "trustedAt"`

/** The queue uses the database's clock, so a difference only affects displayed times. */
async function readSkew(queryRow: QueryRow, clock: Clock): Promise<Finding> {
  const before = clock.now()
  const { now, upkeepUntil, trustedAt } = await queryRow<ClockRow>(CLOCK_ROW)
  const waitsMs = trustedAt !== null && (upkeepUntil ?? 0) > now ? now - trustedAt : 0
  if (waitsMs > BELIEVED_MS) return warn('clock', clockWaits(waitsMs))
  const skewMs = Math.round(now - (before + clock.now()) / 2)
  const seconds = (Math.abs(skewMs) / 1_000).toFixed(1)
  return Math.abs(skewMs) > MAX_SKEW_MS
    ? warn(
        'clock',
        `the database is ${seconds} s ${skewMs > 0 ? 'ahead of' : 'behind'} this machine; the queue uses the clock of the database`,
      )
    : ok('clock', `the database and this machine differ by ${seconds} s`)
}

function judgeTransactions(seconds: number): Finding {
  return seconds > OLD_SECONDS
    ? warn(
        'transactions',
        `one has been open for ${Math.round(seconds / 60)} min and blocks vacuum; see pg_stat_activity`,
      )
    : ok('transactions', 'no long-running transaction')
}

async function inspectCounters(queryRow: QueryRow): Promise<Finding> {
  const { wrong, total } = await queryRow<{ wrong: Row<'jobCounts', 'type' | 'status'>[] | null; total: number }>(
    WRONG_COUNTERS,
  )
  const keys = await queryRow<{ wrong: JobGroup[] | null }>(WRONG_KEYS)
  return judgeCounters(wrong ?? [], total, keys.wrong ?? [])
}

async function inspectIndexes(queryRow: QueryRow): Promise<Finding> {
  const configs = tables.map((table) => getTableConfig(table))
  const expected = configs.flatMap(({ indexes }) => indexes.map(({ config }) => config.name ?? ''))
  const names = configs.map(({ name }) => name)
  const { found, broken } = await queryRow<{ found: string[]; broken: string[] }>(INDEXES, [names])
  return judgeIndexes(expected, found, broken)
}
