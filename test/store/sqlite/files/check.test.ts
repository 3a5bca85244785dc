/** Background check of a large file: stopping it does not wait for its end. */
import { join } from 'node:path'
import Database from 'better-sqlite3'
import { expect, onTestFinished, test } from 'vitest'
import { BackgroundCheck } from '../../../../server/store/sqlite/files/integrity.ts'
import { until } from '../../../support/engine.ts'
import { tempFolder } from '../../../support/temp.ts'

/** SQLite compares a row of 8 MB for minutes, inside one native call. */
const SLOW = "CREATE TABLE slow (a TEXT, b AS (instr(a, substr(a, 1, length(a) / 2) || 'b')) NOT NULL)"

async function open() {
  const file = join(await tempFolder(), 'queue.db')
  const client = new Database(file, { timeout: 0 })
  onTestFinished(() => void client.close())
  client.pragma('journal_mode = WAL')
  client.exec('CREATE TABLE other (a)')
  /** The WAL cannot be reset while a transaction is open that began before the write. */
  const isRead = () => {
    client.exec('INSERT INTO other VALUES (1)')
    const [row] = client.prepare<[], [number]>('PRAGMA wal_checkpoint(TRUNCATE)').raw().all()
    return row?.[0] === 1
  }
  return { file, client, isRead }
}

test('a stopped check ends at once, without a result and without a warning', async () => {
  const { file, client, isRead } = await open()
  client.exec('CREATE TABLE slow (a TEXT)')
  client.prepare('INSERT INTO slow VALUES (?)').run('a'.repeat(8_000_000))
  // Added through the schema table, because ALTER TABLE would compute the column.
  client.unsafeMode(true)
  client.pragma('writable_schema = ON')
  client.prepare("UPDATE sqlite_schema SET sql = ? WHERE name = 'slow'").run(SLOW)
  const warnings: string[] = []
  const check = new BackgroundCheck(file, (message) => warnings.push(message))
  const over = check.run()
  await until(isRead)
  await check.stop()
  await over
  expect(isRead()).toBe(false)
  expect(warnings).toEqual([])
}, 60_000)

test('a check of an unreadable file ends with a warning', async () => {
  const { file } = await open()
  const warnings: string[] = []
  await new BackgroundCheck(`${file}-gone`, (message) => warnings.push(message)).run()
  expect(warnings).toEqual([expect.stringContaining('could not be checked for damage (unable to open database file)')])
})
