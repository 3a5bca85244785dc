/** One server per file, under any path of the file, and when its lock file is removed. */
import { spawn } from 'node:child_process'
import { linkSync, rmSync, symlinkSync } from 'node:fs'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { systemClock } from '../../../../server/base/clock.ts'
import { kindOfFileSystem } from '../../../../server/store/sqlite/files/file-place.ts'
import { openSqliteStoreSync } from '../../../../server/store/sqlite/store.ts'
import { StoreFailed } from '../../../../server/store/store.ts'
import { compiled } from '../../../support/compiled/compiled.ts'
import { tempFolder } from '../../../support/temp.ts'

async function own(file: string, owner = true) {
  const warnings: string[] = []
  const onWarning = (message: string) => void warnings.push(message)
  const store = openSqliteStoreSync({ file, clock: systemClock, durability: 'normal', owner, onWarning })
  onTestFinished(() => store.close())
  return { store, warnings }
}

/** Starts a server process; resolves when it holds the lock. */
async function ownInChild(file: string): Promise<void> {
  const child = spawn(process.execPath, [compiled('test/store/sqlite/files/owner-child'), file], {
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  const ended = new Promise((resolve) => child.once('close', resolve))
  onTestFinished(async () => {
    child.kill('SIGKILL')
    await ended
  })
  await new Promise<void>((resolve, reject) => {
    child.stdout.once('data', () => resolve())
    child.once('close', (code) => reject(new Error(`ended early with ${code}`)))
  })
}

test('a symbolic link shares the lock and the WAL of its target', async () => {
  const folder = await tempFolder()
  const [file, link] = [join(folder, 'queue.db'), join(folder, 'link.db')]
  await ownInChild(file)
  symlinkSync(file, link)
  await expect(own(link)).rejects.toThrow('is already used by a server')
  const { store } = await own(link, false)
  expect((await store.facts()).walBytes).toBeGreaterThan(0)
})

test('a file with a second hard link is refused to a server, and reported to other programs', async () => {
  const folder = await tempFolder()
  const [file, link] = [join(folder, 'queue.db'), join(folder, 'link.db')]
  await own(file)
  linkSync(file, link)
  await expect(own(link)).rejects.toThrow('has 2 hard links')
  const other = join(folder, 'other.db')
  await (await own(other)).store.close()
  linkSync(other, `${other}.copy`)
  expect((await own(other, false)).warnings).toEqual([expect.stringContaining('hard links')])
})

test('a removed lock file is created again before the next write, and keeps out a second server', async () => {
  const file = join(await tempFolder(), 'queue.db')
  const { store, warnings } = await own(file)
  rmSync(`${file}.lock`)
  await store.commit([])
  await store.commit([])
  expect(warnings).toEqual([expect.stringContaining('was removed while this server was running')])
  await expect(ownInChild(file)).rejects.toThrow('ended early')
})

test('a server that lost its lock to another server writes nothing more', async () => {
  const file = join(await tempFolder(), 'queue.db')
  const { store } = await own(file)
  rmSync(`${file}.lock`)
  await ownInChild(file)
  const failure = store.commit([])
  await expect(failure).rejects.toBeInstanceOf(StoreFailed)
  await expect(failure).rejects.toThrow('is already used by a server')
})

test('network file systems are distinguished from local and unknown ones', () => {
  const kinds = [0x6969, 0xfe534d42, 0xff534d42 | 0, 0x517b, 0x65735546, 0xef53, 0x01021994].map(kindOfFileSystem)
  const [nfs, smb, doubt] = [{ network: 'NFS' }, { network: 'SMB' }, { doubtful: 'FUSE' }]
  expect(kinds).toEqual([nfs, smb, smb, smb, doubt, {}, {}])
})
