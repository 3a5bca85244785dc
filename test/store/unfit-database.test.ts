/** Databases that a queue cannot use are refused with a message that helps, and are not changed. */
import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import Database from 'better-sqlite3'
import { Client } from 'pg'
import { describe, expect, it, onTestFinished, test } from 'vitest'
import { readConfig } from '../../server/base/config/config.ts'
import { openEngine } from '../../server/index.ts'
import { inspectDatabase } from '../../server/ops/maintenance.ts'
import { tq } from '../../server/sdk/entries/tq.ts'
import { createBareDatabase, testDatabase } from '../support/postgres/postgres.ts'
import { tempFolder } from '../support/temp.ts'
import { TestClock } from '../support/test-clock.ts'

const TEXT = 'not a database, and long enough for SQLite to look at it: '.repeat(20)
const OLD_TABLES = `CREATE TABLE jobs (seq integer); CREATE TABLE job_bodies (seq integer);
  CREATE TABLE job_types (name text); CREATE TABLE job_counts (type text)`
const JSON_QUEUE = `CREATE TABLE jobs (id TEXT PRIMARY KEY, type TEXT NOT NULL, data TEXT NOT NULL, status TEXT DEFAULT 'waiting',
  result TEXT, error TEXT, retried INTEGER DEFAULT 0, created_at TEXT DEFAULT (datetime('now')), started_at TEXT, completed_at TEXT);
  INSERT INTO jobs (id, type, data) VALUES ('a', 'mail', '{}')`

async function fileWith(write: (file: string) => void): Promise<string> {
  const file = join(await tempFolder(), 'queue.db')
  write(file)
  return file
}

function withTables(sql: string) {
  return (file: string) => {
    const db = new Database(file)
    db.exec(sql)
    db.close()
  }
}

async function refusal(url: string, owner = true): Promise<string> {
  const opened = await openEngine({ url, owner }).catch((error: unknown) => error)
  if (!(opened instanceof Error)) {
    if (opened instanceof Object && 'close' in opened && typeof opened.close === 'function') await opened.close()
    throw new Error('it was opened')
  }
  expect(opened.name).not.toContain('Sqlite')
  expect(opened.message).not.toContain('\n')
  return opened.message
}

const names = (file: string) => readdirSync(join(file, '..')).sort()

describe('a SQLite file', () => {
  const cases: [string, (file: string) => void, RegExp][] = [
    ['that is a folder', (file) => mkdirSync(file), /queue\.db is a folder, .*for example \S+queue\.db\/queue\.db\.$/],
    [
      'that is no database',
      (file) => writeFileSync(file, TEXT),
      /queue\.db is not a SQLite database\. .*another file with DB_PATH or the url/,
    ],
    [
      'of an older layout',
      withTables(OLD_TABLES),
      /queue\.db holds a queue of .* before the first release.* another file/,
    ],
    ['of json-queue', withTables(JSON_QUEUE), /queue\.db holds the jobs of json-queue .*queuectl init once/],
    [
      'with a foreign table millrace_jobs',
      withTables('CREATE TABLE millrace_jobs (id integer)'),
      /queue\.db already has a table millrace_jobs that does not belong to the queue.* another file/,
    ],
  ]
  it.each(cases)('a SQLite file %s is refused with its path, and no file is created', async (_, write, message) => {
    const file = await fileWith(write)
    const before = names(file)
    expect(await refusal(`sqlite:${file}`)).toMatch(message)
    expect(names(file)).toEqual(before)
  })

  it('a file that is not a database keeps its contents', async () => {
    const file = await fileWith((path) => writeFileSync(path, TEXT))
    await refusal(`sqlite:${file}`)
    expect(readFileSync(file, 'utf8')).toBe(TEXT)
  })

  it('a path through a file is refused with both paths', async () => {
    const file = await fileWith((path) => writeFileSync(path, TEXT))
    const message = await refusal(`sqlite:${file}/inner/queue.db`)
    expect(message).toMatch(
      /^The folder of \S+queue\.db\/inner\/queue\.db cannot be created, because \S+queue\.db is a file\. /,
    )
  })

  it.skipIf(process.platform !== 'linux')('in a place that cannot be written is refused with its path', async () => {
    expect(await refusal('sqlite:/sys/queue.db')).toMatch(/ \/sys\/queue\.db\. |^\/sys\/queue\.db .*read-only/)
  })

  it('a file in a missing folder is created with the folder', async () => {
    const file = join(await tempFolder(), 'a', 'b', 'queue.db')
    await (await openEngine({ url: `sqlite:${file}` })).close()
    expect(names(file)).toContain('queue.db')
  })

  it('a json-queue file can hold the queue as well after queuectl init', async () => {
    const file = await fileWith(withTables(JSON_QUEUE))
    // As queuectl init does.
    await (await openEngine({ url: `sqlite:${file}` })).close()
    await (await openEngine({ url: `sqlite:${file}`, owner: true })).close()
    const db = new Database(file)
    onTestFinished(() => void db.close())
    expect(db.prepare('SELECT id, type, status FROM jobs').raw().all()).toEqual([['a', 'mail', 'waiting']])
  })

  it('a file with an older layout is refused by tq and found by doctor', async () => {
    const file = await fileWith(withTables(OLD_TABLES))
    const db = new Database(file)
    onTestFinished(() => void db.close())
    const message = expect.stringMatching(/before the first release/)
    expect(() => tq.init({ db })).toThrow(expect.objectContaining({ code: 'WRONG_STATE', message }))
    const clock = new TestClock()
    const found = await inspectDatabase({ config: readConfig({}), file, clock, isQuick: true })
    expect(found).toEqual([{ check: 'tables', level: 'bad', text: message }])
  })
})

test('a missing url is refused with an example', async () => {
  for (const url of [undefined, '']) {
    // As JavaScript without type checks passes it.
    const options: { url: string } = Object.assign({ url: '' }, { url })
    await expect(openEngine(options)).rejects.toThrow('url is missing; use an address like sqlite:./data/queue.db')
  }
})

test('a PostgreSQL schema with an older layout is refused with its name, and is not changed', async () => {
  const url = await testDatabase(createBareDatabase)
  const client = new Client({ connectionString: url })
  await client.connect()
  onTestFinished(() => client.end())
  await client.query(OLD_TABLES)
  expect(await refusal(url, false)).toMatch(
    /^Schema public of database \w+ holds a queue of .* before the first release.* another schema or database\.$/,
  )
  const { rows } = await client.query(`select tablename as name from pg_tables where schemaname = 'public' order by 1`)
  expect(rows.map(({ name }) => name)).toEqual(['job_bodies', 'job_counts', 'job_types', 'jobs'])
})
