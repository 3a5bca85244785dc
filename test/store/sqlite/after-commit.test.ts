/** Errors of the maintenance around a commit: a stored commit is never reported as failed; a real failure stops the next one. */
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import type { Op } from '../../../server/store/ops.ts'
import { type Client, openSqliteConnection } from '../../../server/store/sqlite/connection/open.ts'
import { DiskReserve } from '../../../server/store/sqlite/files/disk-reserve.ts'
import { Wal } from '../../../server/store/sqlite/files/wal.ts'
import { StoreFailed } from '../../../server/store/store.ts'
import { tempFolder } from '../../support/temp.ts'
import { TestClock } from '../../support/test-clock.ts'

/** Enough operations for the length of the WAL to be read. */
const OPS: readonly Op[] = Array.from({ length: 5_000 }, () => ({ kind: 'promote', limit: 1 }))

async function openFile() {
  const file = join(await tempFolder(), 'queue.db')
  const { client } = openSqliteConnection({ file, durability: 'normal' })
  onTestFinished(() => void client.close())
  return { file, client }
}

/** The same connection, with reading the length of the WAL made to fail. */
function withoutLogLength(client: Client, error: Error): Client {
  const statement = {
    raw: () => statement,
    get() {
      throw error
    },
  }
  return new Proxy(client, {
    get: (target, name) =>
      name === 'prepare'
        ? (text: string) => (text.includes('NOOP') ? statement : target.prepare(text))
        : Reflect.get(target, name),
  })
}

const withCode = (code: string) => Object.assign(new Error('disk I/O error'), { code })

test.each(['SQLITE_IOERR_READ', 'SQLITE_ERROR', 'EIO'])(
  'a WAL whose length cannot be read (%s) leaves the commit acknowledged and fails the next one',
  async (code) => {
    const { file, client } = await openFile()
    const wal = new Wal(withoutLogLength(client, withCode(code)), file)
    expect(() => wal.committed(OPS)).not.toThrow()
    expect(() => wal.assertSound()).toThrow(StoreFailed)
    expect(() => wal.assertSound()).toThrow('All acknowledged jobs are in the WAL')
  },
)

test.each(['SQLITE_BUSY', 'SQLITE_FULL'])(
  'A log whose length cannot be read for now (%s) is no failure',
  async (code) => {
    const { file, client } = await openFile()
    const wal = new Wal(withoutLogLength(client, withCode(code)), file)
    expect(() => wal.committed(OPS)).not.toThrow()
    expect(() => wal.assertSound()).not.toThrow()
  },
)

test('a file system that does not report its free space refuses no commit and no job', async () => {
  const { file, client } = await openFile()
  const wal = new Wal(client, file)
  const gone = join(await tempFolder(), 'gone', 'queue.db')
  const reserve = new DiskReserve({ client, file: gone, maxBytes: null, clock: new TestClock(), wal })
  expect(() => reserve.reclaimSpace()).not.toThrow()
  expect(reserve.hasSpaceFor([])).toBe(true)
})
