/** Files of an open database that are deleted, replaced or truncated: no further write is acknowledged, and the server stops. */
import { existsSync, readdirSync, renameSync, rmSync, truncateSync } from 'node:fs'
import { join } from 'node:path'
import Database from 'better-sqlite3'
import { describe, expect, onTestFinished, test } from 'vitest'
import { openEngine } from '../../../../server/compose/open-engine.ts'
import { openEngineSync } from '../../../../server/compose/open-engine-sync.ts'
import { refused } from '../../../support/engine.ts'
import { startProgram } from '../../../support/programs/program.ts'
import { tempFolder } from '../../../support/temp.ts'

const JOB = { type: 'mail', payload: {} }

async function open() {
  const file = join(await tempFolder(), 'queue.db')
  const fatal: Error[] = []
  const options = { url: `sqlite:${file}`, services: false, onFatal: (error: Error) => void fatal.push(error) }
  const engine = await openEngine(options)
  onTestFinished(() => engine.close())
  await engine.enqueue(JOB)
  return { file, engine, fatal, options }
}

const DAMAGES: Readonly<Record<string, (file: string) => void>> = {
  'the deletion of all files': (file) => {
    for (const end of ['', '-wal', '-shm']) rmSync(file + end)
  },
  'the deletion of the database file': (file) => rmSync(file),
  'the deletion of the WAL': (file) => rmSync(`${file}-wal`),
  'the deletion of the shared memory file': (file) => rmSync(`${file}-shm`),
  'the renaming of its file': (file) => renameSync(file, `${file}.old`),
  'another file in its place': (file) => {
    new Database(`${file}.new`).exec('CREATE TABLE other (id)').close()
    renameSync(`${file}.new`, file)
  },
  'a database file cut to nothing': (file) => truncateSync(file, 0),
  'a WAL cut to nothing': (file) => truncateSync(`${file}-wal`, 0),
  'a WAL that lost its last frame': (file) => truncateSync(`${file}-wal`, 32 + 4_120),
}

describe('an open queue', () => {
  for (const [damage, inflict] of Object.entries(DAMAGES)) {
    test(`refuses the first write after ${damage}, and everything after it`, async () => {
      const { file, engine, fatal } = await open()
      inflict(file)
      expect(await refused(engine.enqueue(JOB))).toMatchObject({ code: 'STORE_FAILED' })
      expect(fatal).toEqual([expect.objectContaining({ message: expect.stringContaining(file) })])
      expect(await refused(engine.enqueue(JOB))).toMatchObject({ code: 'STORE_FAILED' })
      expect(await refused(engine.facts())).toMatchObject({ code: 'STORE_FAILED' })
      expect(await refused(engine.list())).toMatchObject({ code: 'STORE_FAILED' })
      expect(fatal).toHaveLength(1)
    })
  }

  test('reports the failure in its facts before anything is written', async () => {
    const { file, engine, fatal } = await open()
    rmSync(file)
    expect(await refused(engine.facts())).toMatchObject({ code: 'STORE_FAILED' })
    expect(fatal).toHaveLength(1)
  })

  test('refuses jobs in a transaction of the application, and synchronous calls', async () => {
    const { file, engine, options } = await open()
    const { engine: second, direct } = openEngineSync(options)
    onTestFinished(() => second.close())
    const host = new Database(file)
    onTestFinished(() => void host.close())
    expect(host.prepare('SELECT count(*) FROM millrace_jobs').pluck().get()).toBe(1)
    rmSync(`${file}-wal`)
    host.exec('BEGIN IMMEDIATE')
    const failed = expect.objectContaining({ code: 'STORE_FAILED' })
    expect(() => engine.enqueueTx(host, JOB)).toThrow(failed)
    host.exec('ROLLBACK')
    expect(() => direct.enqueue(JOB)).toThrow(failed)
    expect(() => direct.counts()).toThrow(failed)
  })

  test('continues after another connection resets the WAL or shrinks the file', async () => {
    const { file, engine, fatal } = await open()
    await engine.enqueueMany({ jobs: Array.from({ length: 50 }, () => ({ ...JOB, payload: 'x'.repeat(20_000) })) })
    const other = new Database(file)
    onTestFinished(() => void other.close())
    other.pragma('wal_checkpoint(TRUNCATE)')
    await engine.facts()
    await engine.enqueue(JOB)
    other.exec('CREATE TABLE big AS SELECT randomblob(1000000) AS x; DROP TABLE big; PRAGMA incremental_vacuum')
    other.pragma('wal_checkpoint(TRUNCATE)')
    await engine.enqueue(JOB)
    expect(fatal).toEqual([])
    expect((await engine.stats()).counts.pending).toBe(53)
  })
})

describe('a server', () => {
  test('acknowledges nothing after its files are deleted, and exits with 70', async () => {
    const folder = await tempFolder()
    const server = startProgram(folder, { DB_PATH: join(folder, 'queue.db') })
    const url = `http://127.0.0.1:${await server.listening}`
    const enqueue = async () => {
      const headers = { 'content-type': 'application/json' }
      const answer = await fetch(`${url}/trpc/enqueue`, { method: 'POST', headers, body: JSON.stringify(JOB) })
      return answer.status
    }
    expect(await enqueue()).toBe(200)
    for (const name of readdirSync(folder)) rmSync(join(folder, name))
    expect(await enqueue().catch(() => 'no answer')).not.toBe(200)
    expect(await server.ended).toBe(70)
    // The server may notice any of the three deletions first.
    expect(server.stdout()).toMatch(/queue\.db(-wal|-shm)? was deleted or moved/)
    expect(existsSync(join(folder, 'queue.db'))).toBe(false)
  })

  test('exits with 70 after its files are deleted while it is idle', async () => {
    const folder = await tempFolder()
    const server = startProgram(folder, { DB_PATH: join(folder, 'queue.db') })
    await server.listening
    rmSync(join(folder, 'queue.db'))
    expect(await server.ended).toBe(70)
  })
})
