/** `queuectl init` and `queuectl backup`. */
import { existsSync, mkdirSync, readdirSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { openQueue } from '../../../server/sdk/open-queue.ts'
import { createBareDatabase, testDatabase } from '../../support/postgres/postgres.ts'
import { tempFolder } from '../../support/temp.ts'
import { describeBackends, openBackend } from '../backends.ts'
import { queuectl } from '../terminal.ts'

describeBackends('init', (open) => {
  it('accepts an existing queue', async () => {
    const { ctl, place } = await open()
    const ran = await ctl('init')
    expect([ran.code, ran.stdout]).toEqual([0, `${place.location}\n`])
    expect((await ctl('initdb', '--json')).json).toEqual([
      { dialect: place.dialect, version: expect.any(String), location: place.location },
    ])
  })
})

describe('init', () => {
  it('creates a file and its folder', async () => {
    const file = join(await tempFolder(), 'new', 'queue.db')
    const ran = await queuectl(['--url', `sqlite:${file}`, 'init'])
    expect([ran.code, ran.stdout, existsSync(file)]).toEqual([0, `${file}\n`, true])
    expect(ran.stderr).toMatch(/^Created a new queue at .*queue\.db\.\nThe queue is ready: SQLite 3\.\d+\.\d+\.\n$/)
  })

  it('creates the tables in an empty PostgreSQL database', async () => {
    const url = await testDatabase(createBareDatabase)
    expect(await queuectl(['doctor'], { env: { DATABASE_URL: url } })).toMatchObject({
      code: 1,
      stdout: expect.stringContaining('no queue; create one with queuectl init'),
    })
    expect(await queuectl(['init'], { env: { DATABASE_URL: url } })).toMatchObject({ code: 0 })
    expect((await queuectl(['status', '--json'], { env: { DATABASE_URL: url } })).json).toMatchObject([{ total: 0 }])
  })
})

describeBackends('backup', (open, kind) => {
  it(kind === 'file' ? 'copies the file while it is in use' : 'reports the alternative', async () => {
    const { ctl, queue } = await open()
    await queue.enqueueMany({ jobs: Array.from({ length: 100 }, (_, n) => ({ type: 'mail', payload: n })) })
    const folder = await tempFolder()
    const target = join(folder, 'copy.db')
    const ran = await ctl('backup', kind === 'server' ? 'copy.db' : target)
    if (kind !== 'file') {
      expect([ran.code, ran.stdout, existsSync(target)]).toEqual([1, '', false])
      expect(ran.stderr).toMatch(
        kind === 'postgres'
          ? /^queuectl backup is for SQLite; for PostgreSQL run: pg_dump .*--file=\S+copy\.db/
          : /^Backups are disabled on this server: set BACKUP_FOLDER/,
      )
      return
    }
    expect([ran.code, ran.stdout]).toEqual([0, `${target}\n`])
    expect(ran.stderr).toMatch(/^100 jobs, \d+ KiB, verified\.\n$/)
    expect(readdirSync(folder)).toEqual(['copy.db'])
    const copy = await openQueue(`sqlite:${target}`, { services: false })
    expect(await copy.counts()).toEqual(await queue.counts())
    expect((await copy.list({ limit: 1, payloads: true })).jobs).toEqual(
      (await queue.list({ limit: 1, payloads: true })).jobs,
    )
    await copy.close()
  })
})

describe('backup of a file', () => {
  it('overwrites a file only with --force, and never the queue itself', async () => {
    const { ctl, place } = await openBackend('file')
    const target = join(await tempFolder(), 'copy.db')
    writeFileSync(target, 'precious')
    expect(await ctl('backup', target)).toMatchObject({
      code: 4,
      stderr: expect.stringContaining('--force to overwrite it'),
    })
    expect(await ctl('backup', place.location, '--force')).toMatchObject({
      code: 4,
      stderr: expect.stringContaining('it is the queue itself'),
    })
    expect((await ctl('backup', target, '--force', '--json')).json).toEqual([
      { file: target, jobs: 0, bytes: expect.any(Number) },
    ])
  })

  it('leaves no files behind when it fails', async () => {
    const { ctl, place } = await openBackend('file')
    const folder = await tempFolder()
    expect(await ctl('backup', join(folder, 'missing', 'copy.db'))).toMatchObject({
      code: 1,
      stdout: '',
      stderr: expect.stringMatching(/^Backup failed: .+/),
    })
    // A folder with the target name makes the last step fail.
    mkdirSync(join(folder, 'copy.db', 'inside'), { recursive: true })
    expect(await ctl('backup', join(folder, 'copy.db'), '--force')).toMatchObject({ code: 1, stdout: '' })
    expect(readdirSync(folder)).toEqual(['copy.db'])
    expect(readdirSync(dirname(place.location)).filter((name) => name.includes('part'))).toEqual([])
  })
})
