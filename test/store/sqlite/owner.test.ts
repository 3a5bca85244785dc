/** One server per file, whatever the file is called and whatever becomes of the lock beside it. */
import { spawn } from 'node:child_process'
import { linkSync, rmSync, symlinkSync } from 'node:fs'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { systemClock } from '../../../server/base/clock.ts'
import { kindOfFileSystem } from '../../../server/store/sqlite/files/file-place.ts'
import { openSqliteStore } from '../../../server/store/sqlite/store.ts'
import { StoreFailed } from '../../../server/store/store.ts'
import { compiled } from '../../support/compiled/compiled.ts'
import { tempFolder } from '../../support/temp.ts'

async function own(file: string, owner = true) {
  const warnings: string[] = []
  const onWarning = (message: string) => void warnings.push(message)
  const store = await openSqliteStore({ file, clock: systemClock, durability: 'normal', owner, onWarning })
  onTestFinished(() => store.close())
  return { store, warnings }
}

/** A server in a process of its own, which has the lock when this resolves. */
async function ownElsewhere(file: string): Promise<void> {
  const child = spawn(process.execPath, [compiled('test/store/sqlite/owner-child'), file], {
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

test('a symbolic link leads to the same lock and the same WAL', async () => {
  const folder = await tempFolder()
  const [file, link] = [join(folder, 'queue.db'), join(folder, 'link.db')]
  await ownElsewhere(file)
  symlinkSync(file, link)
  await expect(own(link)).rejects.toThrow('already has a server')
  const { store } = await own(link, false)
  expect((await store.facts()).walBytes).toBeGreaterThan(0)
})

test('a file with a second name is refused to a server, and others are warned', async () => {
  const folder = await tempFolder()
  const [file, link] = [join(folder, 'queue.db'), join(folder, 'link.db')]
  await own(file)
  linkSync(file, link)
  await expect(own(link)).rejects.toThrow('one of 2 names (hard links)')
  const other = join(folder, 'other.db')
  await (await own(other)).store.close()
  linkSync(other, `${other}.copy`)
  expect((await own(other, false)).warnings).toEqual([expect.stringContaining('hard links')])
})

test('a lock file that was removed is made again before the next write, and keeps a second server out', async () => {
  const file = join(await tempFolder(), 'queue.db')
  const { store, warnings } = await own(file)
  rmSync(`${file}.lock`)
  await store.commit([])
  await store.commit([])
  expect(warnings).toEqual([expect.stringContaining('was removed while this server runs')])
  await expect(ownElsewhere(file)).rejects.toThrow('ended early')
})

test('a server whose lock another one has taken writes nothing more', async () => {
  const file = join(await tempFolder(), 'queue.db')
  const { store } = await own(file)
  rmSync(`${file}.lock`)
  await ownElsewhere(file)
  const failure = store.commit([])
  await expect(failure).rejects.toBeInstanceOf(StoreFailed)
  await expect(failure).rejects.toThrow('already has a server')
})

test('network file systems are distinguished from local and unknown ones', () => {
  const kinds = [0x6969, 0xfe534d42, 0xff534d42 | 0, 0x517b, 0x65735546, 0xef53, 0x01021994].map(kindOfFileSystem)
  const [nfs, smb, doubt] = [{ network: 'NFS' }, { network: 'SMB' }, { doubtful: 'FUSE' }]
  expect(kinds).toEqual([nfs, smb, smb, smb, doubt, {}, {}])
})
