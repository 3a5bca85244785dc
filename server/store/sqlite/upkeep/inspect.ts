/** Looks a SQLite queue over without changing it: journal, fsync, clock, stuck jobs, counters, integrity, disk. */
import { getTableConfig } from 'drizzle-orm/sqlite-core'
import { tables } from '../../../../drizzle/sqlite/tables.ts'
import type { Clock } from '../../../base/clock.ts'
import {
  BELIEVED_MS,
  bad,
  clockWaits,
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
import { openConnection } from '../connection/driver.ts'
import { type Client, type Durability, sqliteVersion, walBytes, walIsLong } from '../connection/open.ts'
import { oldFile, refuseFolder, whyNot } from '../connection/open-errors.ts'
import { isOldQueue, ownTables } from '../connection/own-tables.ts'
import { damagedWals } from '../files/damaged-wal.ts'
import { realFile } from '../files/file-place.ts'
import { examineDisk } from './inspect-disk.ts'

export interface ExamineSqliteOptions {
  readonly file: string
  readonly durability: Durability
  readonly clock: Clock
  /** Without what reads every row. */
  readonly isQuick: boolean
}

const BUSY_MS = 2_000
/** Two clocks of one machine, read one after the other. */
const SLACK_MS = 5_000
const WORKER_HEARD_MS = 60_000

export function examineSqlite({ file, durability, clock, isQuick }: ExamineSqliteOptions): readonly Finding[] {
  refuseFolder(file)
  try {
    return examineFile({ file, durability, clock, isQuick })
  } catch (error) {
    throw whyNot(error, file)
  }
}

function examineFile({ file, durability, clock, isQuick }: ExamineSqliteOptions): readonly Finding[] {
  const client = openConnection(file, { fileMustExist: true, timeout: BUSY_MS })
  try {
    if (isOldQueue(client)) return [bad('tables', oldFile(file).message)]
    if (!isQueue(client)) return [bad('tables', 'this database has no queue in it; queuectl init makes one')]
    const now = clock.now()
    return [
      ok('database', `SQLite ${sqliteVersion(client)}, ${file}`),
      examineJournal(client, file),
      examineWriting(client),
      ...examineDisk(file, durability),
      examineClock(client, now),
      ...judgeDelays(readDelays(client, now), readReady(client, now)),
      examineIndexes(client),
      ...(isQuick ? QUICK : [examineCounters(client), examineIntegrity(client)]),
    ]
  } finally {
    client.close()
  }
}

const QUICK = [skipped('counters', 'left out by --quick'), skipped('integrity', 'left out by --quick')]

function isQueue(client: Client): boolean {
  const found = client.prepare<[], number>(
    `select count(*) from sqlite_schema where name in ('millrace_jobs', 'millrace_job_counts')`,
  )
  return found.pluck().get() === 2
}

function examineJournal(client: Client, file: string): Finding {
  const mode = String(client.pragma('journal_mode', { simple: true }))
  const size = `${Math.round(walBytes(file) / 1_024)} KiB in it`
  if (mode !== 'wal')
    return bad(
      'journal',
      `${mode} instead of WAL: readers and writers block each other; open it once with queuectl init`,
    )
  const damaged = damagedWals(realFile(file))
  if (damaged.length > 0)
    return warn(
      'journal',
      `a damaged WAL was found earlier and transactions lost; delete ${damaged.join(', ')} when settled`,
    )
  return walIsLong(file)
    ? warn('journal', `WAL, ${size}: a reader that stays open may keep it from being written back`)
    : ok('journal', `WAL, ${size}`)
}

function examineWriting(client: Client): Finding {
  try {
    client.exec('BEGIN IMMEDIATE')
    client.exec('ROLLBACK')
    return ok('writing', 'possible')
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error)
    return bad('writing', `not possible (${reason}); another process holds the file, or it may not be written`)
  }
}

function examineClock(client: Client, now: number): Finding {
  const latest = client
    .prepare<[], number | null>(
      `select max(at) from (
        select updated_at as at from (select updated_at from millrace_jobs order by seq desc limit 1000)
        union all select seen_at from millrace_workers)`,
    )
    .pluck()
    .get()
  const ahead = (latest ?? 0) - now
  const waitsMs = clockWaitMs(client, now)
  if (waitsMs > BELIEVED_MS) return warn('clock', clockWaits(waitsMs))
  return ahead > SLACK_MS
    ? warn(
        'clock',
        `the queue holds a time ${Math.round(ahead / 1_000)} s ahead of this machine: was its clock set back?`,
      )
    : ok('clock', 'nothing in the queue is from the future')
}

/** Upkeep runs, and for how long it has not believed the clock. */
function clockWaitMs(client: Client, now: number): number {
  const until = client.prepare<[string], number>('select until from millrace_leadership where name = ?').pluck()
  const believedAt = until.get(CLOCK)
  return believedAt !== undefined && (until.get('upkeep') ?? 0) > now ? now - believedAt : 0
}

function readDelays(client: Client, now: number) {
  const one = (sql: string, ...params: number[]) =>
    client
      .prepare<number[], number | null>(sql)
      .pluck()
      .get(...params) ?? null
  return {
    now,
    upkeepUntil: one(`select max(until) from millrace_leadership where name = 'upkeep'`),
    unfinished:
      one(`select sum(n) from millrace_job_counts where status not in ('completed', 'failed', 'cancelled')`) ?? 0,
    endedLeases:
      one(`select count(*) from millrace_jobs where status = 'processing' and lease_until < ?`, now - LATE_MS) ?? 0,
    overdue:
      one(
        `select count(*) from millrace_jobs where status in ('scheduled', 'retrying') and run_at < ?`,
        now - LATE_MS,
      ) ?? 0,
  }
}

function readReady(client: Client, now: number): ReadyRows {
  const paused = client.prepare<[], string>(`select value from millrace_settings where key = 'paused'`).pluck().get()
  const types = client.prepare<[], ReadyRows['types'][number]>(
    `select name, kind, declared, override, count(*) as ready, min(run_at) as readySince
    from millrace_jobs join millrace_job_types on name = type where status = 'pending' group by name`,
  )
  const workers = client.prepare<[number], ReadyRows['workers'][number]>(
    'select types, drain_requested_at as drainRequestedAt from millrace_workers where seen_at > ?',
  )
  return { isQueuePaused: paused === 'true', types: types.all(), workers: workers.all(now - WORKER_HEARD_MS) }
}

/** In one snapshot, or a job that moves meanwhile would look like a mistake. */
function examineCounters(client: Client): Finding {
  const wrong = client.prepare<[], { type: string; status: string }>(
    `select type, status from (
      select type, status, n from millrace_job_counts
      union all select type, status, -count(*) from millrace_jobs group by type, status
    ) group by type, status having sum(n) <> 0`,
  )
  const total = client.prepare<[], number>('select count(*) from millrace_jobs').pluck()
  return client.transaction(() => judgeCounters(wrong.all(), total.get() ?? 0))()
}

/** The full check compares every index with its table. */
function examineIntegrity(client: Client): Finding {
  const trouble = client
    .prepare<[], string>('pragma integrity_check(5)')
    .pluck()
    .all()
    .filter((line) => line !== 'ok')
  const orphans = ownTables(client).flatMap((table) =>
    client.prepare(`pragma foreign_key_check(${table})`).all(),
  ).length
  if (trouble.length > 0) return bad('integrity', `${trouble.join('; ')}: restore a backup`)
  if (orphans > 0)
    return bad('integrity', `${orphans} rows belong to jobs that are not there; please report it as a bug`)
  return ok('integrity', 'tables and indexes agree')
}

function examineIndexes(client: Client): Finding {
  const configs = tables.map((table) => getTableConfig(table))
  const expected = configs.flatMap(({ indexes }) => indexes.map(({ config }) => config.name))
  const names = JSON.stringify(configs.map(({ name }) => name))
  // Those without SQL are of primary keys.
  const found = client
    .prepare<[string], string>(
      `select name from sqlite_schema where type = 'index' and sql is not null
      and tbl_name in (select value from json_each(?))`,
    )
    .pluck()
    .all(names)
  return judgeIndexes(expected, found, [])
}
