/** A WAL that is damaged in the middle after a crash: lost transactions are reported, and a copy is kept. */
import { copyFileSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import Database from 'better-sqlite3'
import { describe, expect, onTestFinished, test } from 'vitest'
import { systemClock } from '../../../../server/base/clock.ts'
import { openEngine } from '../../../../server/compose/open-engine.ts'
import { readWal } from '../../../../server/store/sqlite/files/wal-frames.ts'
import { openSqliteStoreSync } from '../../../../server/store/sqlite/store.ts'
import { inspectSqlite } from '../../../../server/store/sqlite/upkeep/inspect.ts'
import { tempFolder } from '../../../support/temp.ts'

const HEADER = 32
const FRAME = 24 + 4_096
const JOBS = 40

/** The files after a kill, with one transaction per job; `frames` is the number of frames in the WAL. */
async function crashed() {
  const folder = await tempFolder()
  const file = join(folder, 'running.db')
  const options = { url: `sqlite:${file}`, services: false, durability: 'normal' } as const
  await (await openEngine(options)).close()
  const engine = await openEngine(options)
  onTestFinished(() => engine.close())
  for (let n = 0; n < JOBS; n++) await engine.enqueue({ type: 'mail', payload: { n } })
  const copy = join(folder, 'queue.db')
  for (const end of ['', '-wal']) copyFileSync(file + end, copy + end)
  const client = new Database(file)
  onTestFinished(() => void client.close())
  const log = client.prepare<[], { log: number }>('PRAGMA wal_checkpoint(NOOP)').get()
  return { folder, file: copy, wal: `${copy}-wal`, frames: log?.log ?? 0 }
}

/** The same files under another name. */
function copyAs({ folder, file }: { readonly folder: string; readonly file: string }, name: string) {
  const copy = join(folder, `${name}.db`)
  for (const end of ['', '-wal']) copyFileSync(file + end, copy + end)
  return { file: copy, wal: `${copy}-wal` }
}

function change(wal: string, edit: (bytes: Buffer) => Buffer | undefined): void {
  const bytes = readFileSync(wal)
  writeFileSync(wal, edit(bytes) ?? bytes)
}

function flip(bytes: Buffer, at: number): undefined {
  bytes.writeUInt8(bytes.readUInt8(at) ^ 1, at)
}

/** Opens the file, as a server unless `owner` is false; returns the reports and the number of jobs. */
async function recover(file: string, owner = true) {
  const reported: string[] = []
  const onError = (error: unknown) => void reported.push(String(error))
  const store = openSqliteStoreSync({ file, clock: systemClock, durability: 'normal', owner, onError })
  const jobs = (await store.list({ sort: 'newest', limit: 100, payloads: false })).jobs.length
  await store.close()
  return { reported, jobs }
}

const copies = (folder: string) => readdirSync(folder).filter((name) => name.includes('-wal.damaged-'))

describe('a WAL that was left behind', () => {
  test('is reported and copied when one bit in the middle is wrong', async () => {
    const { folder, file, wal, frames } = await crashed()
    const broken = Math.floor(frames / 4)
    change(wal, (bytes) => flip(bytes, HEADER + broken * FRAME + 2_000))
    const before = readFileSync(wal)
    const { reported, jobs } = await recover(file)
    expect(jobs).toBeLessThan(JOBS)
    expect(reported).toEqual([expect.stringContaining(`damaged after ${broken} of at least ${frames} pages`)])
    const lost = Number(/at least (\d+) later transactions/.exec(reported[0] ?? '')?.[1])
    expect([lost > 0, lost <= JOBS - jobs]).toEqual([true, true])
    const [copy = ''] = copies(folder)
    expect(readFileSync(join(folder, copy)).equals(before)).toBe(true)
    if (process.platform !== 'win32') expect(statSync(join(folder, copy)).mode & 0o077).toBe(0)
    const findings = inspectSqlite({ file, durability: 'full', clock: systemClock, isQuick: true })
    expect(findings.find(({ check }) => check === 'journal')).toMatchObject({ level: 'warn' })
  })

  test('is reported when any field of its header is damaged', async () => {
    const image = await crashed()
    // One byte of each header field: magic number (3: its bit for the byte order), version, page size, checkpoint number,
    // both salts, checksum.
    for (const at of [1, 3, 5, 10, 13, 17, 21, 25]) {
      const { file, wal } = copyAs(image, `header-${at}`)
      change(wal, (bytes) => flip(bytes, at))
      const { reported, jobs } = await recover(file, false)
      expect([at, jobs, reported.length]).toEqual([at, 0, 1])
    }
  })

  test('is not reported when it is intact, or torn at its end', async () => {
    const harmless: ((bytes: Buffer, frames: number) => Buffer | undefined)[] = [
      () => undefined,
      (bytes, frames) => bytes.subarray(0, HEADER + (frames - 1) * FRAME + 100),
      (bytes, frames) => flip(bytes, HEADER + (frames - 1) * FRAME + 2_000),
      // The first page of the last transaction did not reach the disk, the others did.
      (bytes, frames) =>
        void bytes.fill(
          0,
          HEADER + startOfLast(bytes, frames) * FRAME,
          HEADER + (startOfLast(bytes, frames) + 1) * FRAME,
        ),
    ]
    const image = await crashed()
    const { folder, frames } = image
    for (const [n, edit] of harmless.entries()) {
      const { file, wal } = copyAs(image, `harmless-${n}`)
      change(wal, (bytes) => edit(bytes, frames))
      const { reported, jobs } = await recover(file)
      expect([reported, copies(folder)]).toEqual([[], []])
      expect(jobs).toBeGreaterThanOrEqual(JOBS - 1)
    }
  })

  test('has as many valid frames as SQLite reads, also when frames from before a reset follow', async () => {
    const { wal, frames } = await crashed()
    expect(readWal(wal)).toMatchObject({ validFrames: frames, lostTransactions: 0 })
    const file = join(await tempFolder(), 'again.db')
    const client = new Database(file)
    onTestFinished(() => void client.close())
    client.pragma('journal_mode = WAL')
    client.exec('CREATE TABLE t (x)')
    for (let n = 0; n < 20; n++) client.exec('INSERT INTO t VALUES (1)')
    client.pragma('wal_checkpoint(RESTART)')
    for (let n = 0; n < 3; n++) client.exec('INSERT INTO t VALUES (1)')
    expect(readWal(`${file}-wal`)).toMatchObject({ validFrames: 3, framesAfter: 0, lostTransactions: 0 })
  })
})

/** The first frame of the last transaction. */
function startOfLast(bytes: Buffer, frames: number): number {
  let start = 0
  for (let n = 0; n < frames - 1; n++) if (bytes.readUInt32BE(HEADER + n * FRAME + 4) > 0) start = n + 1
  return start
}
