/** Inspects a SQLite queue without changing it: journal, fsync, clock, stuck jobs, counters, integrity, disk. */
import { getTableConfig } from 'drizzle-orm/sqlite-core'
import { tables } from '../../../../drizzle/sqlite/tables.ts'
import type { Clock } from '../../../base/clock.ts'
import type { JobGroup } from '../../decisions/group-of-job.ts'
import {
  BELIEVED_MS,
  bad,
  clockWaits,
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
import { openSqliteClient } from '../connection/driver.ts'
import { type Client, type Durability, sqliteVersion, walBytes, walIsLong } from '../connection/open.ts'
import { oldFile, refuseFolder, toOpenError } from '../connection/open-errors.ts'
import { isOldQueue, ownTables } from '../connection/own-tables.ts'
import { damagedWals } from '../files/damaged-wal.ts'
import { realFile } from '../files/file-place.ts'
import { inspectDisk } from './inspect-disk.ts'

export interface InspectSqliteOptions {
  readonly file: string
  readonly durability: Durability
  readonly clock: Clock
  /** Skip checks that read every row. */
  readonly isQuick: boolean
}

const BUSY_MS = 2_000
/** Two clocks of one machine, read one after the other. */
const SLACK_MS = 5_000
const WORKER_SEEN_MS = 60_000

export function inspectSqlite({ file, durability, clock, isQuick }: InspectSqliteOptions): readonly Finding[] {
  refuseFolder(file)
  try {
    return inspectFile({ file, durability, clock, isQuick })
  } catch (error) {
    throw toOpenError(error, file)
  }
}

function inspectFile({ file, durability, clock, isQuick }: InspectSqliteOptions): readonly Finding[] {
  const client = openSqliteClient(file, { fileMustExist: true, timeout: BUSY_MS })
  try {
    if (isOldQueue(client)) return [bad('tables', oldFile(file).message)]
    if (!isQueue(client)) return [bad('tables', 'this database has no queue; create one with queuectl init')]
    const now = clock.now()
    return [
      ok('database', `SQLite ${sqliteVersion(client)}, ${file}`),
      inspectJournal(client, file),
      inspectWriting(client),
      ...inspectDisk(file, durability),
      inspectClock(client, now),
      ...judgeDelays(readDelays(client, now), readReady(client, now)),
      ...judgeSchedules(readSchedules(client, now)),
      inspectIndexes(client),
      ...(isQuick ? QUICK : [inspectCounters(client), inspectIntegrity(client)]),
    ]
  } finally {
    client.close()
  }
}

const QUICK = [skipped('counters', 'skipped by --quick'), skipped('integrity', 'skipped by --quick')]

function isQueue(client: Client): boolean {
  const found = client.prepare<[], number>(
    `SELECT count(*) FROM sqlite_schema WHERE name IN ('millrace_jobs', 'millrace_job_counts')`,
  )
  return found.pluck().get() === 2
}

function inspectJournal(client: Client, file: string): Finding {
  const mode = String(client.pragma('journal_mode', { simple: true }))
  const size = `${Math.round(walBytes(file) / 1_024)} KiB in it`
  if (mode !== 'wal')
    return bad('journal', `${mode} instead of WAL: readers and writers block each other; run queuectl init once`)
  const damaged = damagedWals(realFile(file))
  if (damaged.length > 0)
    return warn(
      'journal',
      `a damaged WAL was found earlier and transactions were lost; delete ${damaged.join(', ')} when that is resolved`,
    )
  return walIsLong(file)
    ? warn('journal', `WAL, ${size}: a reader that stays open may block checkpoints`)
    : ok('journal', `WAL, ${size}`)
}

function inspectWriting(client: Client): Finding {
  try {
    client.exec('BEGIN IMMEDIATE')
    client.exec('ROLLBACK')
    return ok('writing', 'possible')
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error)
    return bad(
      'writing',
      `not possible (${reason}); another process has locked the file, or this user may not write it`,
    )
  }
}

function inspectClock(client: Client, now: number): Finding {
  const latest = client
    .prepare<[], number | null>(
      `SELECT max(at) FROM (
        SELECT updated_at AS at FROM (SELECT updated_at FROM millrace_jobs ORDER BY seq DESC LIMIT 1000)
        UNION ALL SELECT seen_at FROM millrace_workers)`,
    )
    .pluck()
    .get()
  const ahead = (latest ?? 0) - now
  const waitsMs = clockWaitMs(client, now)
  if (waitsMs > BELIEVED_MS) return warn('clock', clockWaits(waitsMs))
  return ahead > SLACK_MS
    ? warn(
        'clock',
        `the queue holds timestamps ${Math.round(ahead / 1_000)} s ahead of this machine; check whether its clock was set back`,
      )
    : ok('clock', 'no timestamp in the queue is in the future')
}

/** Time since maintenance last trusted the clock; 0 if maintenance is stopped. */
function clockWaitMs(client: Client, now: number): number {
  const until = client.prepare<[string], number>('SELECT until FROM millrace_leadership WHERE name = ?').pluck()
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
    upkeepUntil: one(`SELECT max(until) FROM millrace_leadership WHERE name = 'upkeep'`),
    unfinished:
      one(`SELECT sum(n) FROM millrace_job_counts WHERE status NOT IN ('completed', 'failed', 'cancelled')`) ?? 0,
    endedLeases:
      one(`SELECT count(*) FROM millrace_jobs WHERE status = 'processing' AND lease_until < ?`, now - LATE_MS) ?? 0,
    overdue:
      one(
        `SELECT count(*) FROM millrace_jobs WHERE status IN ('scheduled', 'retrying') AND run_at < ?`,
        now - LATE_MS,
      ) ?? 0,
  }
}

function readReady(client: Client, now: number): ReadyRows {
  const paused = client.prepare<[], string>(`SELECT value FROM millrace_settings WHERE key = 'paused'`).pluck().get()
  const types = client.prepare<[], ReadyRows['types'][number]>(
    `SELECT name, kind, declared, override, count(*) AS ready, min(run_at) AS readySince
    FROM millrace_jobs JOIN millrace_job_types ON name = type WHERE status = 'pending' GROUP BY name`,
  )
  const workers = client.prepare<[number], ReadyRows['workers'][number]>(
    'SELECT types, drain_requested_at AS drainRequestedAt FROM millrace_workers WHERE seen_at > ?',
  )
  return { isQueuePaused: paused === 'true', types: types.all(), workers: workers.all(now - WORKER_SEEN_MS) }
}

function readSchedules(client: Client, now: number): ScheduleRows {
  const total = client.prepare<[], number>('SELECT count(*) FROM millrace_schedules').pluck().get() ?? 0
  const schedules = client.prepare<[number], ScheduleRows['schedules'][number]>(
    `SELECT name, next_run_at AS nextRunAt, paused_by AS pausedBy, pause_note AS pauseNote, orphaned_at AS orphanedAt
    FROM millrace_schedules WHERE next_run_at < ? OR paused_by = 'upkeep' OR orphaned_at IS NOT NULL ORDER BY name`,
  )
  return { now, total, schedules: schedules.all(now - LATE_MS) }
}

/** In one snapshot: otherwise a job that changes in between would look like an error. */
function inspectCounters(client: Client): Finding {
  const wrong = client.prepare<[], Row<'jobCounts', 'type' | 'status'>>(
    `SELECT type, status FROM (
      SELECT type, status, n FROM millrace_job_counts
      UNION ALL SELECT type, status, -count(*) FROM millrace_jobs GROUP BY type, status
    ) GROUP BY type, status HAVING sum(n) <> 0`,
  )
  const total = client.prepare<[], number>('SELECT count(*) FROM millrace_jobs').pluck()
  // Reads only the unfinished jobs with a key, by their index.
  const wrongKeys = client.prepare<[], JobGroup>(
    `SELECT name, key FROM (
      SELECT name, key, pending, processing, blocked FROM millrace_job_groups
      UNION ALL SELECT group_name, group_key, -sum(status = 'pending'), -sum(status = 'processing'), -sum(status = 'blocked')
        FROM millrace_jobs WHERE group_key IS NOT NULL AND finished_at IS NULL GROUP BY group_name, group_key
    ) GROUP BY name, key HAVING sum(pending) <> 0 OR sum(processing) <> 0 OR sum(blocked) <> 0 LIMIT 2`,
  )
  return client.transaction(() => judgeCounters(wrong.all(), total.get() ?? 0, wrongKeys.all()))()
}

/** The full check compares every index with its table. */
function inspectIntegrity(client: Client): Finding {
  const errors = client
    .prepare<[], string>('PRAGMA integrity_check(5)')
    .pluck()
    .all()
    .filter((line) => line !== 'ok')
  const orphans = ownTables(client).flatMap((table) =>
    client.prepare(`PRAGMA foreign_key_check(${table})`).all(),
  ).length
  if (errors.length > 0) return bad('integrity', `${errors.join('; ')}: restore a backup`)
  if (orphans > 0) return bad('integrity', `${orphans} rows belong to missing jobs; please report it as a bug`)
  return ok('integrity', 'tables and indexes agree')
}

function inspectIndexes(client: Client): Finding {
  const configs = tables.map((table) => getTableConfig(table))
  const expected = configs.flatMap(({ indexes }) => indexes.map(({ config }) => config.name))
  const names = JSON.stringify(configs.map(({ name }) => name))
  // Indexes without SQL belong to primary keys.
  const found = client
    .prepare<[string], string>(
      `SELECT name FROM sqlite_schema WHERE type = 'index' AND sql IS NOT NULL
      AND tbl_name IN (SELECT value FROM json_each(?))`,
    )
    .pluck()
    .all(names)
  return judgeIndexes(expected, found, [])
}
