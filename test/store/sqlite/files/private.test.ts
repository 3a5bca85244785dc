/** Modes of queue files: private with any umask; the file of an application keeps its mode. */
import { chmodSync, existsSync, mkdirSync, readdirSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import Database from 'better-sqlite3'
import { describe, expect, onTestFinished, test } from 'vitest'
import { systemClock } from '../../../../server/base/clock.ts'
import { openHostDatabaseSync } from '../../../../server/compose/host-database.ts'
import { Backups } from '../../../../server/ops/backups.ts'
import { openSqliteStoreSync, type SqliteStoreOptions } from '../../../../server/store/sqlite/store.ts'
import { backup } from '../../../../server/store/sqlite/upkeep/backup.ts'
import { tempFolder } from '../../../support/temp.ts'

const isPosix = process.platform !== 'win32'

function modeOf(path: string): string {
  return (statSync(path).mode & 0o777).toString(8)
}

function modesIn(folder: string): Record<string, string> {
  return Object.fromEntries(readdirSync(folder).map((name) => [name, modeOf(join(folder, name))]))
}

async function open(file: string, options: Partial<SqliteStoreOptions> = {}) {
  const warnings: string[] = []
  const onWarning = (message: string) => void warnings.push(message)
  const store = openSqliteStoreSync({ file, clock: systemClock, durability: 'normal', onWarning, ...options })
  onTestFinished(() => store.close())
  return { store, warnings }
}

const PRIVATE = { 'queue.db': '600', 'queue.db-wal': '600', 'queue.db-shm': '600', 'queue.db.lock': '600' }

describe.skipIf(!isPosix)('modes of files', () => {
  test('are private, in private folders, with any umask', async () => {
    const parent = join(await tempFolder(), 'data')
    const folder = join(parent, 'queue')
    const { warnings } = await open(join(folder, 'queue.db'), { owner: true })
    expect([modeOf(parent), modeOf(folder)]).toEqual(['700', '700'])
    expect(modesIn(folder)).toMatchObject(PRIVATE)
    expect(warnings).toEqual([])
  })

  test('become private when a queue that all users could read is opened, with one message per file', async () => {
    const folder = await tempFolder()
    const file = join(folder, 'queue.db')
    const { store } = await open(file, { owner: true })
    await store.close()
    for (const name of readdirSync(folder)) chmodSync(join(folder, name), 0o644)
    const again = await open(file, { owner: true })
    expect(modesIn(folder)).toMatchObject(PRIVATE)
    expect(again.warnings).toContainEqual(expect.stringContaining(`${file} from 644 to 600`))
    await again.store.close()
    expect((await open(file)).warnings).toEqual([])
  })

  test('are kept where a group has access and other users have none', async () => {
    const folder = await tempFolder()
    const file = join(folder, 'queue.db')
    await (await open(file)).store.close()
    chmodSync(file, 0o660)
    const { warnings } = await open(file)
    expect(modesIn(folder)).toMatchObject({ 'queue.db': '660', 'queue.db-wal': '660', 'queue.db-shm': '660' })
    expect(warnings).toEqual([])
  })

  test('of a database with tables of an application are kept', async () => {
    const folder = await tempFolder()
    const file = join(folder, 'app.db')
    const host = new Database(file)
    onTestFinished(() => void host.close())
    chmodSync(file, 0o644)
    host.exec('CREATE TABLE orders (id)')
    for (let time = 0; time < 2; time++) {
      const { engine } = openHostDatabaseSync(host, { clock: systemClock, services: false })
      await engine.close()
      await (await open(file)).store.close()
    }
    expect(modeOf(file)).toBe('644')
  })

  test('of a new file of an application are kept before it has tables', async () => {
    const file = join(await tempFolder(), 'app.db')
    writeFileSync(file, '')
    chmodSync(file, 0o644)
    await open(file)
    expect(modeOf(file)).toBe('644')
  })

  test('of a backup are private from its first byte, even when the original is not', async () => {
    const folder = await tempFolder()
    const file = join(folder, 'queue.db')
    await open(file)
    chmodSync(file, 0o644)
    const target = join(folder, 'copy.db')
    backup({ file, target, replace: false })
    expect(modeOf(target)).toBe('600')
    chmodSync(file, 0o660)
    backup({ file, target, replace: true })
    expect(modeOf(target)).toBe('660')
    expect(() => backup({ file, target: join(folder, 'nowhere', 'copy.db'), replace: false })).toThrow('ENOENT')
    expect(existsSync(join(folder, 'nowhere'))).toBe(false)
  })

  test('of earlier backups in the folder of a server become private; other files there are kept', async () => {
    const folder = join(await tempFolder(), 'backups')
    mkdirSync(folder)
    const names = ['queue-2026-01-31T03-00-00-000Z.db', 'notes.txt', 'other.db']
    for (const name of names) {
      writeFileSync(join(folder, name), 'x')
      chmodSync(join(folder, name), 0o644)
    }
    const lines: string[] = []
    const backups = new Backups({ url: 'sqlite:queue.db', file: 'queue.db', folder, clock: systemClock })
    backups.keepPrivate((line) => lines.push(line))
    expect(modesIn(folder)).toEqual({ [names[0] ?? '']: '600', 'notes.txt': '644', 'other.db': '644' })
    expect(lines).toEqual([expect.stringContaining('from 644 to 600')])
  })
})
