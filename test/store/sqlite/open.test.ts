/** Opening a file: pragmas, ownership, atomic migrations, refusal of newer databases. */
import { spawn } from 'node:child_process'
import { join } from 'node:path'
import Database from 'better-sqlite3'
import { expect, test } from 'vitest'
import { systemClock } from '../../../server/base/clock.ts'
import { migrate } from '../../../server/store/sqlite/connection/migrate.ts'
import { openSqliteConnection } from '../../../server/store/sqlite/connection/open.ts'
import { openSqliteStoreSync } from '../../../server/store/sqlite/store.ts'
import { compiled } from '../../support/compiled/compiled.ts'
import { addMigration, migrationCount } from '../../support/store/added-migration.ts'
import { tempFolder } from '../../support/temp.ts'

const MIGRATION_CHILD = compiled('test/store/sqlite/migration-child')
const LOCK_CHILD = compiled('test/store/sqlite/files/owner-child')

test('fsyncs every commit unless durability is normal', async () => {
  const folder = await tempFolder()
  for (const [durability, level] of [
    ['full', 2],
    ['normal', 1],
  ] as const) {
    const { client } = openSqliteConnection({ file: join(folder, `${durability}.db`), durability })
    expect(client.pragma('synchronous', { simple: true })).toBe(level)
    expect(client.pragma('journal_mode', { simple: true })).toBe('wal')
    expect(client.pragma('foreign_keys', { simple: true })).toBe(1)
    expect(client.pragma('auto_vacuum', { simple: true })).toBe(2)
    client.close()
  }
  const store = openSqliteStoreSync({ file: join(folder, 'full.db'), clock: systemClock })
  expect(await store.facts()).toMatchObject({ dialect: 'sqlite', durability: 'full' })
  await store.close()
})

test('lets one server own a file, across processes, and releases it when the process ends', async () => {
  const file = join(await tempFolder(), 'queue.db')
  const owner = openSqliteStoreSync({ file, clock: systemClock, owner: true })
  expect(() => openSqliteStoreSync({ file, clock: systemClock, owner: true })).toThrow(
    `is already used by a server (process ${process.pid})`,
  )
  const guest = openSqliteStoreSync({ file, clock: systemClock })
  await guest.close()
  await owner.close()

  const child = spawn(process.execPath, [LOCK_CHILD, file], { stdio: ['ignore', 'pipe', 'inherit'] })
  await new Promise<void>((resolve, reject) => {
    child.stdout.once('data', () => resolve())
    child.once('close', (code) => reject(new Error(`ended early with ${code}`)))
  })
  expect(() => openSqliteStoreSync({ file, clock: systemClock, owner: true })).toThrow(`(process ${child.pid})`)
  const gone = new Promise((resolve) => child.once('close', resolve))
  child.kill('SIGKILL')
  await gone
  const next = openSqliteStoreSync({ file, clock: systemClock, owner: true })
  await next.close()
})

test('enforces the invariants of a job by constraints of the database', async () => {
  const connection = openSqliteConnection({ file: join(await tempFolder(), 'queue.db'), durability: 'full' })
  migrate(connection)
  const insert = (id: string, columns: string, values: string) => () =>
    connection.client.exec(
      `INSERT INTO millrace_jobs (id, type, status, run_at, created_at, updated_at, ${columns}) VALUES ('${id}', 't', ${values})`,
    )
  insert('a', 'dedupe_key, dedupe_until', "'pending', 1, 1, 1, 'key', 'removed'")()
  expect(insert('b', 'dedupe_key, dedupe_until', "'pending', 1, 1, 1, 'key', 'finished'")).toThrow('UNIQUE')
  expect(insert('a', 'priority', "'pending', 1, 1, 1, 0")).toThrow('UNIQUE')
  expect(insert('c', 'priority', "'completed', 1, 1, 1, 0")).toThrow('millrace_jobs_terminal_is_finished')
  expect(insert('d', 'finished_at', "'pending', 1, 1, 1, 5")).toThrow('millrace_jobs_terminal_is_finished')
  expect(insert('e', 'locked_by', "'processing', 1, 1, 1, 'w'")).toThrow('millrace_jobs_processing_is_leased')
  expect(insert('f', 'lease_until', "'processing', 1, 1, 1, 5")).toThrow('millrace_jobs_leased_has_worker')
  connection.client.close()
})

test('refuses a database that a newer version has migrated, and does not change it', async () => {
  const file = join(await tempFolder(), 'queue.db')
  await openSqliteStoreSync({ file, clock: systemClock }).close()
  const db = new Database(file)
  db.prepare('INSERT INTO millrace_migrations (hash, created_at) VALUES (?, ?)').run('from-the-future', 9e15)
  db.close()
  expect(() => openSqliteStoreSync({ file, clock: systemClock })).toThrow('newer version of Millrace')
})

test('rolls back a migration that fails half-way', async () => {
  const folder = await tempFolder()
  const migrations = join(folder, 'migrations')
  addMigration(
    'sqlite',
    migrations,
    'CREATE TABLE half (a integer);\n--> statement-breakpoint\nCREATE TABLE millrace_jobs (a integer);',
  )
  const connection = openSqliteConnection({ file: join(folder, 'queue.db'), durability: 'full' })
  migrate(connection)
  expect(() => migrate(connection, migrations)).toThrow('millrace_jobs')
  expect(tables(connection.client)).not.toContain('half')
  expect(connection.client.pragma('foreign_keys', { simple: true })).toBe(1)
  connection.client.close()
})

test('keeps the old schema when the process is killed during a migration, and migrates at the next open', async () => {
  const folder = await tempFolder()
  const file = join(folder, 'queue.db')
  const migrations = join(folder, 'migrations')
  const before = openSqliteConnection({ file, durability: 'full' })
  migrate(before)
  const old = tables(before.client)
  before.client.close()
  // The last statement never ends, so the kill happens inside the transaction.
  addMigration(
    'sqlite',
    migrations,
    'CREATE TABLE half (a integer);\n--> statement-breakpoint\nINSERT INTO half WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n) SELECT i FROM n;',
  )
  const child = spawn(process.execPath, [MIGRATION_CHILD, file, migrations], {
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  await new Promise<void>((resolve, reject) => {
    child.stdout.once('data', () => resolve())
    child.once('close', (code) => reject(new Error(`ended early with ${code}`)))
  })
  await untilWriting(file)
  const gone = new Promise((resolve) => child.once('close', resolve))
  child.kill('SIGKILL')
  await gone
  const after = openSqliteConnection({ file, durability: 'full' })
  expect(tables(after.client)).toEqual(old)
  expect(after.client.pragma('integrity_check', { simple: true })).toBe('ok')
  migrate(after)
  after.client.close()
})

test('migrates once when several processes open a new file at the same time', async () => {
  const file = join(await tempFolder(), 'queue.db')
  const children = Array.from({ length: 3 }, () =>
    spawn(process.execPath, [MIGRATION_CHILD, file], { stdio: ['ignore', 'ignore', 'inherit'] }),
  )
  const codes = await Promise.all(children.map((child) => new Promise((resolve) => child.once('close', resolve))))
  expect(codes).toEqual([0, 0, 0])
  const { client } = openSqliteConnection({ file, durability: 'full' })
  expect(client.prepare('SELECT count(*) FROM millrace_migrations').pluck().get()).toBe(migrationCount('sqlite'))
  client.close()
})

function tables(client: Database.Database): unknown[] {
  return client.prepare("SELECT name FROM sqlite_schema WHERE type = 'table' ORDER BY name").pluck().all()
}

/** Waits until another process holds the write lock. */
async function untilWriting(file: string): Promise<void> {
  const client = new Database(file, { timeout: 0 })
  try {
    for (const deadline = performance.now() + 10_000; performance.now() < deadline; ) {
      try {
        client.exec('BEGIN IMMEDIATE; ROLLBACK')
      } catch {
        return
      }
      await new Promise((resolve) => setTimeout(resolve, 5))
    }
    throw new Error('no process started to write')
  } finally {
    client.close()
  }
}
