/** `queuectl init` and `backup`: making a queue, and copying it. */
import { existsSync, mkdirSync, readdirSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { openQueue } from '../../server/sdk/open-queue.ts'
import { createBareDatabase, testDatabase } from '../support/postgres/postgres.ts'
import { tempFolder } from '../support/temp.ts'
import { describeHomes, openHome } from './homes.ts'
import { queuectl } from './terminal.ts'

describeHomes('init', (open) => {
  it('is content with a queue that is there', async () => {
    const { ctl, place } = await open()
    const ran = await ctl('init')
    expect([ran.code, ran.stdout]).toEqual([0, `${place.location}\n`])
    expect((await ctl('initdb', '--json')).json).toEqual([
      { dialect: place.dialect, version: expect.any(String), location: place.location },
    ])
  })
})

describe('init', () => {
  it('makes a file and its folder', async () => {
    const file = join(await tempFolder(), 'new', 'queue.db')
    const ran = await queuectl(['--url', `sqlite:${file}`, 'init'])
    expect([ran.code, ran.stdout, existsSync(file)]).toEqual([0, `${file}\n`, true])
    expect(ran.stderr).toMatch(/^Made a new queue at .*queue\.db\.\nThe queue is ready: SQLite 3\.\d+\.\d+\.\n$/)
  })

  it('makes the tables in an empty PostgreSQL', async () => {
    const url = await testDatabase(createBareDatabase)
    expect(await queuectl(['doctor'], { env: { DATABASE_URL: url } })).toMatchObject({
      code: 1,
      stdout: expect.stringContaining('no queue in it; queuectl init makes one'),
    })
    expect(await queuectl(['init'], { env: { DATABASE_URL: url } })).toMatchObject({ code: 0 })
    expect((await queuectl(['status', '--json'], { env: { DATABASE_URL: url } })).json).toMatchObject([{ total: 0 }])
  })
})

describeHomes('backup', (open, kind) => {
  it(kind === 'file' ? 'copies the file whole while it is in use' : 'says what to use instead', async () => {
    const { ctl, queue } = await open()
    await queue.enqueueMany({ jobs: Array.from({ length: 100 }, (_, n) => ({ type: 'mail', payload: n })) })
    const folder = await tempFolder()
    const target = join(folder, 'copy.db')
    const ran = await ctl('backup', kind === 'server' ? 'copy.db' : target)
    if (kind !== 'file') {
      expect([ran.code, ran.stdout, existsSync(target)]).toEqual([1, '', false])
      expect(ran.stderr).toMatch(
        kind === 'postgres'
          ? /^PostgreSQL makes its own backups: pg_dump .*--file=\S+copy\.db/
          : /^This server makes no backups: set BACKUP_FOLDER/,
      )
      return
    }
    expect([ran.code, ran.stdout]).toEqual([0, `${target}\n`])
    expect(ran.stderr).toMatch(/^100 jobs, \d+ KiB, checked\.\n$/)
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
  it('replaces nothing unless told to, and never the queue itself', async () => {
    const { ctl, place } = await openHome('file')
    const target = join(await tempFolder(), 'copy.db')
    writeFileSync(target, 'precious')
    expect(await ctl('backup', target)).toMatchObject({
      code: 4,
      stderr: expect.stringContaining('--force to replace it'),
    })
    expect(await ctl('backup', place.location, '--force')).toMatchObject({
      code: 4,
      stderr: expect.stringContaining('it is the queue itself'),
    })
    expect((await ctl('backup', target, '--force', '--json')).json).toEqual([
      { file: target, jobs: 0, bytes: expect.any(Number) },
    ])
  })

  it('leaves nothing behind when it fails', async () => {
    const { ctl, place } = await openHome('file')
    const folder = await tempFolder()
    expect(await ctl('backup', join(folder, 'missing', 'copy.db'))).toMatchObject({
      code: 1,
      stdout: '',
      stderr: expect.stringMatching(/^No backup was made: .+/),
    })
    // A folder in the way of the last step.
    mkdirSync(join(folder, 'copy.db', 'inside'), { recursive: true })
    expect(await ctl('backup', join(folder, 'copy.db'), '--force')).toMatchObject({ code: 1, stdout: '' })
    expect(readdirSync(folder)).toEqual(['copy.db'])
    expect(readdirSync(dirname(place.location)).filter((name) => name.includes('part'))).toEqual([])
  })
})
