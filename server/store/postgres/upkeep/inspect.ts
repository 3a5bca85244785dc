/** Looks a PostgreSQL queue over without changing it: durability, clock, stuck jobs, counters, indexes, old transactions. */
import { getTableConfig } from 'drizzle-orm/pg-core'
import type { QueryResultRow } from 'pg'
import { tables } from '../../../../drizzle/postgres/tables.ts'
import { DAY } from '../../../../shared/limits.ts'
import type { Clock } from '../../../base/clock.ts'
import {
  BELIEVED_MS,
  bad,
  clockWaits,
  type Delays,
  type Finding,
  judgeCounters,
  judgeDelays,
  judgeIndexes,
  LATE_MS,
  ok,
  type ReadyRows,
  skipped,
  warn,
} from '../../findings.ts'
import { CLOCK } from '../commit/control.ts'
import { openDatabase } from '../connection/open.ts'

export interface ExaminePostgresOptions {
  readonly url: string
  readonly clock: Clock
  /** Without what reads every row. */
  readonly isQuick: boolean
}

type Ask = <Row extends QueryResultRow>(text: string, values?: unknown[]) => Promise<Row>

const MAX_SKEW_MS = 5_000

export async function examinePostgres({ url, clock, isQuick }: ExaminePostgresOptions): Promise<readonly Finding[]> {
  const { pool, version, durability } = await openDatabase(url, { poolSize: 1 })
  const client = await pool.connect()
  const ask: Ask = async <Row extends QueryResultRow>(text: string, values: unknown[] = []) => {
    const { rows } = await client.query<Row>(patient(text, values))
    if (!rows[0]) throw new Error('The database gave no answer.')
    return rows[0]
  }
  try {
    const { there } = await ask<{ there: boolean }>(`select to_regclass('millrace_job_counts') is not null as there`)
    if (!there) return [bad('tables', 'this database has no queue in it; queuectl init makes one')]
    const skew = await readSkew(ask, clock)
    // One snapshot for all that follows, or a job that moves meanwhile would look like a mistake.
    await client.query('begin isolation level repeatable read read only')
    await client.query('set local statement_timeout = 0')
    const findings = [
      ok('database', `PostgreSQL ${version}, ${(await ask<{ size: string }>(SIZE)).size}`),
      durability === 'full'
        ? ok('durability', 'fsync and synchronous_commit are on')
        : warn('durability', 'synchronous_commit is off: a crash may lose the last jobs it acknowledged'),
      skew,
      ...judgeDelays(
        await ask<Delays & QueryResultRow>(DELAYS, [LATE_MS]),
        await ask<ReadyRows & QueryResultRow>(READY),
      ),
      judgeTransactions((await ask<{ seconds: number }>(OLDEST_TRANSACTION)).seconds),
      await examineIndexes(ask),
      isQuick ? skipped('counters', 'left out by --quick') : await examineCounters(ask),
    ]
    await client.query('rollback')
    return findings
  } finally {
    client.release()
    await pool.end()
  }
}

/** Counting a large table takes as long as it takes. */
function patient(text: string, values: unknown[]) {
  return { text, values, query_timeout: DAY }
}

const SIZE = 'select pg_size_pretty(pg_database_size(current_database())) as size'

const DELAYS = `with clock as (select floor(extract(epoch from clock_timestamp()) * 1000)::bigint as now)
  select now, (select max(until) from millrace_leadership where name = 'upkeep') as "upkeepUntil",
    (select coalesce(sum(n), 0)::bigint from millrace_job_counts
      where status not in ('completed', 'failed', 'cancelled')) as unfinished,
    (select count(*) from millrace_jobs where status = 'processing' and lease_until < now - $1::bigint) as "endedLeases",
    (select count(*) from millrace_jobs where status in ('scheduled', 'retrying') and run_at < now - $1::bigint) as overdue
  from clock`

const READY = `select coalesce((select value = 'true' from millrace_settings where key = 'paused'), false) as "isQueuePaused",
    (select coalesce(json_agg(waiting), '[]') from (
      select name, kind, declared, override, count(*) as ready, min(run_at) as "readySince"
      from millrace_jobs join millrace_job_types on name = type where status = 'pending' group by name) waiting) as types,
    (select coalesce(json_agg(json_build_object('types', types, 'drainRequestedAt', drain_requested_at)), '[]') from millrace_workers
      where seen_at > floor(extract(epoch from clock_timestamp()) * 1000)::bigint - 60000) as workers`

// Vacuum cannot remove what an old transaction might still want to see.
const OLDEST_TRANSACTION = `select coalesce(max(extract(epoch from clock_timestamp() - xact_start)), 0)::int as seconds
  from pg_stat_activity where datname = current_database() and pid <> pg_backend_pid()`
const OLD_SECONDS = 300

const WRONG_COUNTERS = `select json_agg(json_build_object('type', type, 'status', status)) as wrong,
    (select count(*) from millrace_jobs) as total
  from (select type, status from (
      select type, status, n::bigint from millrace_job_counts
      union all select type, status, -count(*) from millrace_jobs group by type, status
    ) counted group by type, status having sum(n) <> 0) differing`

const INDEXES = `select coalesce(json_agg(i.relname), '[]') as found,
    coalesce(json_agg(i.relname) filter (where not x.indisvalid), '[]') as broken
  from pg_index x join pg_class i on i.oid = x.indexrelid join pg_class t on t.oid = x.indrelid
  where t.relname = any($1::text[]) and pg_table_is_visible(t.oid) and not x.indisprimary`

interface Believed {
  readonly now: number
  readonly upkeepUntil: number | null
  readonly believedAt: number | null
}

const BELIEVED = `select floor(extract(epoch from clock_timestamp()) * 1000)::bigint as now,
  (select until from millrace_leadership where name = 'upkeep') as "upkeepUntil",
  (select until from millrace_leadership where name = '${CLOCK}') as "believedAt"`

/** The database's clock decides, so a difference changes nothing but what people read. */
async function readSkew(ask: Ask, clock: Clock): Promise<Finding> {
  const before = clock.now()
  const { now, upkeepUntil, believedAt } = await ask<Believed>(BELIEVED)
  const waitsMs = believedAt !== null && (upkeepUntil ?? 0) > now ? now - believedAt : 0
  if (waitsMs > BELIEVED_MS) return warn('clock', clockWaits(waitsMs))
  const skewMs = Math.round(now - (before + clock.now()) / 2)
  const seconds = (Math.abs(skewMs) / 1_000).toFixed(1)
  return Math.abs(skewMs) > MAX_SKEW_MS
    ? warn(
        'clock',
        `the database is ${seconds} s ${skewMs > 0 ? 'ahead of' : 'behind'} this machine; its clock is the one that counts`,
      )
    : ok('clock', `the database and this machine differ by ${seconds} s`)
}

function judgeTransactions(seconds: number): Finding {
  return seconds > OLD_SECONDS
    ? warn(
        'transactions',
        `one has been open for ${Math.round(seconds / 60)} min and keeps vacuum from its work; see pg_stat_activity`,
      )
    : ok('transactions', 'none has been open for long')
}

async function examineCounters(ask: Ask): Promise<Finding> {
  const { wrong, total } = await ask<{ wrong: { type: string; status: string }[] | null; total: number }>(
    WRONG_COUNTERS,
  )
  return judgeCounters(wrong ?? [], total)
}

async function examineIndexes(ask: Ask): Promise<Finding> {
  const configs = tables.map((table) => getTableConfig(table))
  const expected = configs.flatMap(({ indexes }) => indexes.map(({ config }) => config.name ?? ''))
  const names = configs.map(({ name }) => name)
  const { found, broken } = await ask<{ found: string[]; broken: string[] }>(INDEXES, [names])
  return judgeIndexes(expected, found, broken)
}
