/** Handles of another better-sqlite3 copy are refused: two copies on one file release each other's locks and lose commits. */
import { cp, mkdir, symlink } from 'node:fs/promises'
import { createRequire } from 'node:module'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import BetterSqlite from 'better-sqlite3'
import { drizzle } from 'drizzle-orm/better-sqlite3'
import { expect, onTestFinished, test } from 'vitest'
import { openEngine } from '../../server/compose/open-engine.ts'
import { openSimpleQueue } from '../../server/sdk/simple/simple-queue.ts'
import { createTq } from '../../server/sdk/tq/tq.ts'
import { tempFolder } from '../support/temp.ts'

const PACKAGES = fileURLToPath(new URL('../../node_modules', import.meta.url))
const REFUSAL = /another copy of better-sqlite3.*npm dedupe/

/** A copy of the file is another module to Node, with its own SQLite. */
async function secondCopy(): Promise<typeof BetterSqlite> {
  const packages = join(await tempFolder(), 'node_modules')
  const copy = join(packages, 'better-sqlite3')
  await mkdir(join(copy, 'build/Release'), { recursive: true })
  for (const part of ['package.json', 'lib', 'build/Release/better_sqlite3.node'])
    await cp(join(PACKAGES, 'better-sqlite3', part), join(copy, part), { recursive: true })
  for (const name of ['bindings', 'file-uri-to-path']) await symlink(join(PACKAGES, name), join(packages, name), 'dir')
  return createRequire(join(packages, 'program.js'))('better-sqlite3')
}

test('tq, openSimpleQueue and enqueueTx refuse a handle of another copy of better-sqlite3 and accept one of the same copy', async () => {
  const file = join(await tempFolder(), 'app.db')
  const Second = await secondCopy()
  expect(Second).not.toBe(BetterSqlite)
  const engine = await openEngine({ url: `sqlite:${file}` })
  onTestFinished(() => engine.close())
  const [own, other] = [new BetterSqlite(file), new Second(`${file}-elsewhere`)]
  onTestFinished(() => void [own, other].map((db) => db.close()))

  for (const db of [other, drizzle({ client: other })]) {
    expect(() => createTq({ db })).toThrow(REFUSAL)
    expect(() => openSimpleQueue(db)).toThrow(REFUSAL)
    expect(() => engine.enqueueTx(db, { type: 'a', payload: 1 })).toThrow(REFUSAL)
  }
  own.exec('BEGIN')
  engine.enqueueTx(own, { type: 'a', payload: 1 })
  own.exec('COMMIT')
  expect(await engine.counts()).toMatchObject({ pending: 1 })
})
