/** Opening a PostgreSQL database: refusals, reported settings, atomic migrations, once for all nodes. */
import { spawn } from 'node:child_process'
import { join } from 'node:path'
import type { Pool } from 'pg'
import { expect, onTestFinished, test } from 'vitest'
import { databaseTime } from '../../../../server/store/postgres/connection/clock.ts'
import { migrate } from '../../../../server/store/postgres/connection/migrate.ts'
import {
  assertUsable,
  type ConnectOptions,
  connectPostgres,
} from '../../../../server/store/postgres/connection/open.ts'
import { compiled } from '../../../support/compiled/compiled.ts'
import { createBareDatabase, testDatabase } from '../../../support/postgres/postgres.ts'
import { startPostgres } from '../../../support/postgres/server.ts'
import { addMigration, migrationCount } from '../../../support/store/added-migration.ts'
import { tempFolder } from '../../../support/temp.ts'

const MIGRATION_CHILD = compiled('test/store/postgres/migration-child')
const ASLEEP = `from pg_stat_activity where datname = current_database() and wait_event = 'PgSleep'`

test('opens a database with 64-bit integers as numbers, statement timeouts and the durability reported', async () => {
  const warnings: string[] = []
  const { pool, version, durability } = await open(await testDatabase(), { onWarning: (text) => warnings.push(text) })
  const { rows } =
    await pool.query(`select ${2 ** 53 - 1}::bigint as n, current_setting('statement_timeout') as timeout,
    current_setting('application_name') as name, current_setting('synchronous_commit') as sync`)
  expect(rows[0]).toMatchObject({ n: 2 ** 53 - 1, timeout: '30s', name: 'millrace' })
  await expect(pool.query(`select ${2n ** 53n}::bigint`)).rejects.toThrow('too large')
  expect(version).toMatch(/^\d+\.\d+$/)
  const isOff = rows[0].sync === 'off'
  expect([durability, warnings.length]).toEqual(isOff ? ['normal', 1] : ['full', 0])
})

test('takes the time from the database', async () => {
  const { pool } = await open(await testDatabase())
  const before = await databaseTime.now(pool)
  const { rows } = await pool.query('select extract(epoch from clock_timestamp())::float8 * 1000 as now')
  expect(Number.isInteger(before)).toBe(true)
  expect(rows[0].now - before).toBeGreaterThanOrEqual(0)
  expect(rows[0].now - before).toBeLessThan(5_000)
})

test('refuses a server that is too old, read-only or not UTF-8, and names the remedy', () => {
  const fit = { version: '18.4', versionNumber: 180_004, fsync: 'on', synchronousCommit: 'on' }
  const facts = { ...fit, encoding: 'UTF8', readOnly: 'off' }
  expect(() => assertUsable(facts)).not.toThrow()
  expect(() => assertUsable({ ...facts, versionNumber: 140_000 })).not.toThrow()
  expect(() => assertUsable({ ...facts, version: '13.9', versionNumber: 130_009 })).toThrow('upgrade it to 14 or newer')
  expect(() => assertUsable({ ...facts, encoding: 'LATIN1' })).toThrow("ENCODING 'UTF8'")
  expect(() => assertUsable({ ...facts, readOnly: 'on' })).toThrow('point DATABASE_URL at the primary')
})

test('refuses a server without fsync', async () => {
  const server = await startPostgres({ fsync: 'off' })
  onTestFinished(server.stop)
  await expect(connectPostgres(server.url)).rejects.toThrow('set fsync = on')
})

test('names the address that it could not reach, without the password', async () => {
  const refused = connectPostgres('postgres://me:secret@127.0.0.1:1/queue')
  await expect(refused).rejects.toThrow(/^PostgreSQL at 127\.0\.0\.1:1\/queue cannot be reached \(.*ECONNREFUSED.*\);/)
  await expect(refused).rejects.not.toThrow('secret')
})

test('opens new connections when the server closes idle ones', async () => {
  let report: (error: unknown) => void = () => {}
  const reported = new Promise((resolve) => {
    report = resolve
  })
  const { pool } = await open(await testDatabase(), { onError: report })
  const client = await pool.connect()
  const { rows } = await pool.query('select pg_backend_pid() as pid')
  await client.query('select pg_terminate_backend($1)', [rows[0].pid])
  client.release()
  expect(await reported).toBeInstanceOf(Error)
  expect((await pool.query('select 1 as one')).rows).toEqual([{ one: 1 }])
})

test('enforces the invariants of a job by constraints of the database', async () => {
  const { pool } = await open(await testDatabase())
  const insert = (id: string, columns: string, values: string) =>
    pool.query(
      `insert into millrace_jobs (id, type, status, run_at, created_at, updated_at, ${columns}) values ('${id}', 't', ${values})`,
    )
  await insert('a', 'dedupe_key, dedupe_until', "'pending', 1, 1, 1, 'key', 'removed'")
  const refused: [string, string, string, string][] = [
    ['b', 'dedupe_key, dedupe_until', "'pending', 1, 1, 1, 'key', 'finished'", 'millrace_jobs_dedupe'],
    ['a', 'priority', "'pending', 1, 1, 1, 0", 'millrace_jobs_id'],
    ['c', 'priority', "'completed', 1, 1, 1, 0", 'millrace_jobs_terminal_is_finished'],
    ['d', 'finished_at', "'pending', 1, 1, 1, 5", 'millrace_jobs_terminal_is_finished'],
    ['e', 'locked_by', "'processing', 1, 1, 1, 'w'", 'millrace_jobs_processing_is_leased'],
    ['f', 'lease_until', "'processing', 1, 1, 1, 5", 'millrace_jobs_leased_has_worker'],
  ]
  for (const [id, columns, values, rule] of refused) await expect(insert(id, columns, values)).rejects.toThrow(rule)
})

test('keeps heartbeats out of the indexes', async () => {
  const { pool } = await open(await testDatabase())
  await pool.query(`insert into millrace_jobs (id, type, status, run_at, created_at, updated_at, expires_at, lease_until, locked_by)
    select 'job-' || n, 't', 'processing', n, n, n, n, n, 'w' from generate_series(1, 100) n`)
  const client = await pool.connect()
  onTestFinished(() => client.release())
  await client.query('begin')
  await client.query(
    'update millrace_jobs set lease_until = lease_until + 1, updated_at = updated_at + 1 where seq % 10 = 0',
  )
  const { rows } = await client.query(`select n_tup_upd as updated, n_tup_hot_upd as hot
    from pg_stat_xact_user_tables where relname = 'millrace_jobs'`)
  await client.query('commit')
  expect(rows).toEqual([{ updated: 10, hot: 10 }])
})

test('refuses a database that a newer version has migrated, and does not change it', async () => {
  const { pool } = await open(await testDatabase(createBareDatabase))
  await migrate(pool)
  const journal = 'public.millrace_migrations'
  await pool.query(`insert into ${journal} (hash, created_at) values ('from-the-future', 9e15)`)
  await expect(migrate(pool)).rejects.toThrow('newer version of Millrace')
  expect((await pool.query(`select 1 from ${journal}`)).rowCount).toBe(migrationCount('postgres') + 1)
})

test('migrates once when many nodes start at the same moment', async () => {
  const url = await testDatabase(createBareDatabase)
  const nodes = await Promise.all(Array.from({ length: 8 }, () => open(url, { poolSize: 2 })))
  await Promise.all(nodes.map(({ pool }) => migrate(pool)))
  const pool = nodes[0]?.pool
  expect((await pool?.query('select 1 from millrace_migrations'))?.rowCount).toBe(migrationCount('postgres'))
  expect((await pool?.query('select 1 from millrace_jobs'))?.rowCount).toBe(0)
})

test('rolls back a migration that fails half-way', async () => {
  const migrations = join(await tempFolder(), 'migrations')
  addMigration(
    'postgres',
    migrations,
    'CREATE TABLE half (a integer);\n--> statement-breakpoint\nCREATE TABLE millrace_jobs (a integer);',
  )
  const { pool } = await open(await testDatabase(createBareDatabase))
  await migrate(pool)
  await expect(migrate(pool, migrations)).rejects.toThrow('millrace_jobs')
  expect(await tables(pool)).not.toContain('half')
  await migrate(pool)
})

test('keeps the old schema when the process is killed during a migration, and migrates at the next start', async () => {
  const migrations = join(await tempFolder(), 'migrations')
  const url = await testDatabase(createBareDatabase)
  const { pool } = await open(url)
  await migrate(pool)
  const old = await tables(pool)
  // The last statement takes long, so the kill happens inside the transaction.
  const half = 'CREATE TABLE half (a integer);\n--> statement-breakpoint\n'
  addMigration('postgres', migrations, `${half}SELECT pg_sleep(60);`)
  const child = spawn(process.execPath, [MIGRATION_CHILD, url, migrations], { stdio: 'inherit' })
  const gone = new Promise((resolve) => child.once('close', resolve))
  await untilAsleep(pool)
  child.kill('SIGKILL')
  await gone
  expect(await tables(pool)).toEqual(old)
  // The server notices the broken connection only at its next write, so the backend is terminated here.
  await pool.query(`select pg_terminate_backend(pid, 5000) ${ASLEEP}`)
  addMigration('postgres', migrations, `${half}SELECT 1;`)
  await migrate(pool, migrations)
  expect(await tables(pool)).toEqual([...old, 'half'].sort())
})

/** Closed at the end of the test. */
async function open(url: string, options: ConnectOptions = {}) {
  const connection = await connectPostgres(url, options)
  onTestFinished(() => connection.pool.end())
  return connection
}

async function tables(pool: Pool): Promise<string[]> {
  const { rows } = await pool.query(`select tablename from pg_tables where schemaname = 'public' order by 1`)
  return rows.map(({ tablename }) => tablename)
}

async function untilAsleep(pool: Pool): Promise<void> {
  for (const deadline = performance.now() + 15_000; performance.now() < deadline; ) {
    const { rowCount } = await pool.query(`select 1 ${ASLEEP}`)
    if (rowCount) return
    await new Promise((resolve) => setTimeout(resolve, 20))
  }
  throw new Error('no backend is asleep')
}
