/** Damage in a SQLite file: reads that find it end the engine as writes do, and every server start checks for it. */
import { closeSync, openSync, writeSync } from 'node:fs'
import { join } from 'node:path'
import Database from 'better-sqlite3'
import { describe, expect, onTestFinished, test } from 'vitest'
import { systemClock } from '../../../../server/base/clock.ts'
import { openEngine } from '../../../../server/compose/open-engine.ts'
import { openSqliteStoreSync } from '../../../../server/store/sqlite/store.ts'
import { refused, until } from '../../../support/engine.ts'
import { startProgram } from '../../../support/programs/program.ts'
import { tempFolder } from '../../../support/temp.ts'

const PAGE = 4_096
/** Larger than files that are checked before the server starts. */
const LARGE_BYTES = 34 * 1024 * 1024

/** File of a cleanly closed queue, at least `fill` bytes large. */
async function makeFile(fill = 0): Promise<string> {
  const file = join(await tempFolder(), 'queue.db')
  await openSqliteStoreSync({ file, clock: systemClock, durability: 'normal' }).close()
  const client = new Database(file)
  client.exec('CREATE TABLE ballast (bytes BLOB)')
  client.prepare('INSERT INTO ballast VALUES (zeroblob(?))').run(fill)
  client.close()
  return file
}

/** Pages of a table and its indexes. */
function damage(file: string, table: string): void {
  const client = new Database(file, { readonly: true })
  const roots = client.prepare<[string], number>('SELECT rootpage FROM sqlite_schema WHERE tbl_name = ?').pluck()
  const pages = roots.all(table)
  client.close()
  const descriptor = openSync(file, 'r+')
  for (const page of pages) writeSync(descriptor, Buffer.alloc(PAGE, 0xff), 0, PAGE, PAGE * (page - 1))
  closeSync(descriptor)
}

async function open(file: string, owner = false) {
  const fatal: Error[] = []
  const onFatal = (error: Error) => void fatal.push(error)
  const engine = await openEngine({ url: `sqlite:${file}`, owner, onFatal, onError: () => {} })
  onTestFinished(() => engine.close())
  return { engine, fatal }
}

describe('a read that finds damage', () => {
  test('ends the engine on the main thread', async () => {
    const file = await makeFile()
    damage(file, 'millrace_jobs')
    const { engine, fatal } = await open(file)
    expect(await refused(engine.list())).toMatchObject({ code: 'STORE_FAILED' })
    expect(fatal).toEqual([expect.objectContaining({ message: expect.stringContaining('malformed') })])
    expect(await refused(engine.facts())).toMatchObject({ code: 'STORE_FAILED' })
    expect(await refused(engine.enqueue({ type: 'mail', payload: {} }))).toMatchObject({ code: 'STORE_FAILED' })
  })

  test('ends the engine on the reader thread', async () => {
    const file = await makeFile()
    damage(file, 'millrace_job_attempts')
    const { engine, fatal } = await open(file)
    expect(await refused(engine.failureGroups())).toMatchObject({ code: 'STORE_FAILED' })
    expect(fatal).toEqual([expect.objectContaining({ message: expect.stringContaining('malformed') })])
    expect(await refused(engine.facts())).toMatchObject({ code: 'STORE_FAILED' })
  })

  test('makes a server exit with 70', async () => {
    const file = await makeFile()
    const server = startProgram(join(file, '..'), { DB_PATH: file })
    const url = `http://127.0.0.1:${await server.listening}`
    damage(file, 'millrace_job_attempts')
    await fetch(`${url}/trpc/failures.groups`).catch(() => {})
    expect(await server.ended).toBe(70)
    expect(server.stdout()).toContain('malformed')
  })
})

describe('the start of a server', () => {
  test('is refused on a small file that was damaged after a clean stop', async () => {
    const file = await makeFile()
    damage(file, 'millrace_job_attempts')
    await expect(open(file, true)).rejects.toThrow('The database is damaged')
  })

  test('skips tables with constraints that only the application can check', async () => {
    const file = await makeFile()
    const client = new Database(file)
    client.function('is_fine', { deterministic: true }, (_text: unknown) => 1)
    client.exec(`CREATE TABLE app_things (x TEXT CHECK (is_fine(x))); INSERT INTO app_things VALUES ('a')`)
    client.close()
    const { engine } = await open(file, true)
    expect(await engine.list()).toMatchObject({ jobs: [] })
    await engine.close()
    damage(file, 'millrace_job_attempts')
    await expect(open(file, true)).rejects.toThrow('The database is damaged')
  })

  test('is followed by a check of a large file, which stops the server when it finds damage', async () => {
    const file = await makeFile(LARGE_BYTES)
    damage(file, 'millrace_job_attempts')
    const { fatal } = await open(file, true)
    await until(() => fatal.length > 0)
    expect(fatal[0]?.message).toContain('The database is damaged')
  })

  test('reports no damage in an intact large file, and allows closing during the check', async () => {
    const file = await makeFile(LARGE_BYTES)
    const store = openSqliteStoreSync({ file, clock: systemClock, owner: true })
    await store.verify?.()
    await store.close()
    const { engine, fatal } = await open(file, true)
    await engine.close()
    expect(fatal).toEqual([])
  })
})
