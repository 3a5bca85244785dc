/** Backups of a running server: complete, in the configured folder, never overwriting, usable. */
import {
  chmodSync,
  copyFileSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  statSync,
  writeFileSync,
} from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { systemClock } from '../../server/base/clock.ts'
import { readConfig } from '../../server/base/config/config.ts'
import { inspectDatabase } from '../../server/ops/maintenance.ts'
import { openRemoteQueue } from '../../server/sdk/remote/remote-queue.ts'
import { backup } from '../../server/store/sqlite/upkeep/backup.ts'
import { startWorker } from '../../server/worker/start-worker.ts'
import { QueueError } from '../../shared/errors.ts'
import { SECOND } from '../../shared/limits.ts'
import { queuectl } from '../cli/terminal.ts'
import { refused, until } from '../support/engine.ts'
import { sqlite, sqliteFile } from '../support/places.ts'
import { describeServer, startOn, type TestServer } from '../support/server.ts'
import { tempFolder } from '../support/temp.ts'

const startServer = startOn(sqlite)

const idsIn = async ({ engine }: TestServer): Promise<Map<string, string>> => {
  const found = new Map<string, string>()
  for await (const { id, status } of engine.export()) found.set(id, status)
  return found
}

const MOST_JOBS = 3_000

function unlessStale(error: unknown): void {
  if (!(error instanceof QueueError && error.code === 'STALE_CLAIM')) throw error
}

/** Producers and workers that run until stopped and record what was acknowledged, with times. */
function startLoad(url: string) {
  const stored: string[] = []
  const done: string[] = []
  let goesOn = true
  const queue = openRemoteQueue({ url })
  const produce = async () => {
    while (goesOn && stored.length < MOST_JOBS) {
      const jobs = Array.from({ length: 20 }, (_, n) => ({ type: n % 5 === 0 ? 'fax' : 'mail', payload: { n } }))
      for (const { id } of await queue.enqueueMany({ jobs })) stored.push(id)
    }
  }
  const work = async () => {
    while (goesOn) {
      const claim = { worker: 'worker-1', types: ['mail'], limit: 10, leaseMs: SECOND }
      for (const [n, { id, version }] of (await queue.claim(claim)).entries()) {
        // Every third claim is left to expire; on a slow machine others may be late.
        if (n % 3 === 0) await queue.fail({ id, version, error: 'no route', retry: false }).catch(unlessStale)
        if (n % 3 === 1) {
          const settled = await queue.complete({ id, version, result: n }).catch(unlessStale)
          if (settled) done.push(id)
        }
      }
    }
  }
  const all = Promise.all([produce(), work()])
  return {
    stored,
    done,
    async stop() {
      goesOn = false
      await all
    },
  }
}

describe('a backup of a server under load', () => {
  it('contains all jobs acknowledged before it started, and the queue continues from it', async () => {
    const folder = join(await tempFolder(), 'backups')
    const server = await startServer({ DURABILITY: 'normal', BACKUP_FOLDER: folder })
    const load = startLoad(server.url)
    await until(() => load.stored.length > 200 && load.done.length > 5)
    const [stored, done] = [[...load.stored], [...load.done]]
    const made = await openRemoteQueue({ url: server.url }).backup({ name: 'monday.db' })
    const after = load.stored.length
    await load.stop()
    expect(made).toEqual({
      name: 'monday.db',
      file: join(folder, 'monday.db'),
      bytes: statSync(join(folder, 'monday.db')).size,
      jobs: expect.any(Number),
    })
    expect(after).toBeGreaterThan(stored.length)
    expect(readdirSync(folder)).toEqual(['monday.db'])

    const file = join(await tempFolder(), 'queue.db')
    copyFileSync(made.file, file)
    const restored = await startServer({ DURABILITY: 'normal' }, { place: sqliteFile(file) })
    const findings = await inspectDatabase({ config: readConfig({}), file, clock: systemClock, isQuick: false })
    expect(findings.filter(({ level, check }) => level === 'bad' && check !== 'stuck jobs')).toEqual([])
    const found = await idsIn(restored)
    expect(stored.filter((id) => !found.has(id))).toEqual([])
    expect(done.filter((id) => found.get(id) !== 'completed')).toEqual([])
    const counted = Object.values(await restored.engine.counts()).reduce((sum, n) => sum + n, 0)
    expect([counted, made.jobs]).toEqual([found.size, found.size])

    const worker = startWorker(restored.engine, { mail: () => 'done', fax: () => 'done' }, { concurrency: 100 })
    await until(async () => {
      const { pending, processing, retrying } = await restored.engine.counts()
      return pending + processing + retrying === 0
    })
    await worker.stop({ graceMs: 0 })
    expect((await restored.engine.enqueue({ type: 'mail', payload: {} })).status).toBe('pending')
  })
})

describe('a backup made by a server', () => {
  it('has a dated name and an audit entry, also with queuectl', async () => {
    const folder = await tempFolder()
    const server = await startServer({ BACKUP_FOLDER: folder })
    await server.engine.enqueue({ type: 'mail', payload: {} })
    chmodSync(server.place.location, 0o600)
    const ran = await queuectl(['--url', server.url, 'backup', '--json'])
    const [name = ''] = readdirSync(folder)
    expect(name).toMatch(/^queue-\d{4}-\d\d-\d\dT\d\d-\d\d-\d\d-\d{3}Z\.db$/)
    const bytes = statSync(join(folder, name)).size
    expect([ran.code, ran.json]).toEqual([0, [{ name, file: join(folder, name), bytes, jobs: 1 }]])
    expect(statSync(join(folder, name)).mode & 0o777).toBe(0o600)
    expect(await server.engine.auditTrail({ target: name })).toMatchObject([{ action: 'backup', details: { jobs: 1 } }])
    expect(await queuectl(['--url', server.url, 'backup', 'b.db', '--force'])).toMatchObject({ code: 2, stdout: '' })
  })

  it('does not overwrite an existing backup', async () => {
    const folder = await tempFolder()
    const server = await startServer({ BACKUP_FOLDER: folder })
    writeFileSync(join(folder, 'copy.db'), 'precious')
    const queue = openRemoteQueue({ url: server.url })
    expect(await refused(queue.backup({ name: 'copy.db' }))).toMatchObject({ code: 'WRONG_STATE' })
    expect(await queuectl(['--url', server.url, 'backup', 'copy.db'])).toMatchObject({ code: 4 })
    // Also when the file appears during the copy.
    const { location } = server.place
    expect(() => backup({ file: location, target: join(folder, 'copy.db'), replace: false })).toThrow('EEXIST')
    expect([readdirSync(folder), readFileSync(join(folder, 'copy.db'), 'utf8')]).toEqual([['copy.db'], 'precious'])
  })

  it.each(['../copy.db', '/tmp/copy.db', 'a/b.db', 'a\\b.db', '..', '.hidden', '', 'a\0b', 'x'.repeat(101)])(
    'refuses a name outside its folder: %j',
    async (name) => {
      const root = await tempFolder()
      mkdirSync(join(root, 'inside'))
      const server = await startServer({ BACKUP_FOLDER: join(root, 'inside') })
      expect(await refused(openRemoteQueue({ url: server.url }).backup({ name }))).toMatchObject({ code: 'BAD_INPUT' })
      expect([readdirSync(root), readdirSync(join(root, 'inside'))]).toEqual([['inside'], []])
    },
  )

  it('runs one backup at a time, and removes a partial one when the server stops', async () => {
    const folder = await tempFolder()
    const server = await startServer({ BACKUP_FOLDER: folder })
    const queue = openRemoteQueue({ url: server.url })
    const first = queue.backup({ name: 'first.db' }).catch((error: unknown) => error)
    const second = await queue.backup({ name: 'second.db' }).catch((error: unknown) => error)
    expect(second).toMatchObject({ code: 'BUSY' })
    await server.close()
    await first
    expect(readdirSync(folder).filter((name) => name.includes('part'))).toEqual([])
  })
})

describeServer('a server', (start) => {
  it('refuses a backup without BACKUP_FOLDER and on PostgreSQL', async () => {
    const folder = join(await tempFolder(), 'backups')
    const plain = await start({ DURABILITY: 'normal' })
    const refusal = await refused(openRemoteQueue({ url: plain.url }).backup())
    expect(refusal.code).toBe('UNSUPPORTED')
    if (plain.place.dialect === 'sqlite') {
      expect(refusal.message).toContain('set BACKUP_FOLDER')
      return
    }
    const set = await start({ DURABILITY: 'normal', BACKUP_FOLDER: folder }, { place: plain.place })
    const { code, message, details } = await refused(openRemoteQueue({ url: set.url }).backup({ name: 'monday.db' }))
    const command = expect.stringMatching(/^pg_dump --format=custom --file=monday\.dump 'postgres(ql)?:\/\/\S+'$/)
    expect([code, details, existsSync(folder)]).toEqual(['UNSUPPORTED', { command }, false])
    expect(message).toContain(String(details.command))
    const { password } = new URL(plain.place.url())
    expect(password === '' || !message.includes(password)).toBe(true)
  })
})
