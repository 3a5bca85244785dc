/** The engine on a shared SQLite file: transactions of other connections, and freed disk space. */
import { statSync } from 'node:fs'
import BetterSqlite from 'better-sqlite3'
import { expect, it, onTestFinished } from 'vitest'
import type { Engine } from '../../server/engine/engine.ts'
import { add, addMany, describeEngine, held, type Open, refused, sqlite, started, until } from '../support/engine.ts'
import { settle } from '../support/test-clock.ts'

/** Another connection to the engine's file, as another process would have it. */
async function connect(engine: Engine): Promise<BetterSqlite.Database> {
  const client = new BetterSqlite((await engine.facts()).location)
  onTestFinished(() => {
    client.close()
  })
  return client
}

function onFile(open: Open): void {
  it('a write waits for a transaction of another connection and is stored once', async () => {
    const { engine, store, clock } = await open()
    const job = await held(engine)
    const other = await connect(engine)
    other.exec('BEGIN IMMEDIATE')
    store.reset()
    const calls = Promise.all([add(engine), engine.complete({ id: job.id, version: job.version })])
    await clock.advance(500)
    expect([store.tried.length > 5, store.committed.length]).toEqual([true, 0])
    other.exec('COMMIT')
    await clock.advance(50)
    const [, settled] = await calls
    expect([settled.status, settled.repeated, store.committed.length]).toEqual(['completed', false, 1])
    expect((await engine.stats()).counts).toMatchObject({ pending: 1, completed: 1 })
  })

  it('reads work while another connection writes', async () => {
    const { engine } = await open()
    const id = await add(engine)
    const other = await connect(engine)
    other.exec('BEGIN IMMEDIATE')
    expect((await engine.get({ id })).status).toBe('pending')
    expect((await engine.list()).total).toBe(1)
    other.exec('ROLLBACK')
  })

  it('a write gives up on a transaction that does not end', async () => {
    const { engine, clock } = await open({ limits: { busyMs: 1_000 } })
    const other = await connect(engine)
    other.exec('BEGIN IMMEDIATE')
    const call = refused(add(engine))
    await clock.advance(1_100)
    expect((await call).code).toBe('BUSY')
    other.exec('ROLLBACK')
    await clock.advance(50)
    expect((await engine.stats()).counts.pending).toBe(0)
  })

  it('maintenance is postponed while another connection writes', async () => {
    const { engine, store, clock } = await started(open({ defaults: { retentionMs: 0 } }))
    await addMany(engine, 100, { payload: 'x'.repeat(10_000) })
    await engine.claim({ worker: 'worker-1', limit: 100, settle: true })
    const other = await connect(engine)
    store.fault = (ops) => {
      // Directly after the last write of the cleaner, before it releases free pages.
      if (ops.some(({ kind }) => kind === 'trim')) queueMicrotask(() => other.exec('BEGIN IMMEDIATE'))
      return null
    }
    await clock.advance(5_000)
    expect(other.inTransaction).toBe(true)
    for (let turn = 0; turn < 10; turn++) await settle()
    const looked = store.calls('maintain')
    other.exec('ROLLBACK')
    store.fault = null
    expect(looked).toBeLessThan(10)
  })

  it('the space of removed jobs is returned to the file system', async () => {
    const { engine, store, clock, another } = await started(open({ defaults: { retentionMs: 60_000 } }))
    for (let n = 0; n < 6; n++) await addMany(engine, 100, { payload: 'x'.repeat(10_000) })
    for (let n = 0; n < 6; n++) await engine.claim({ worker: 'worker-1', limit: 100, settle: true })
    const kept = await add(engine, { payload: 'y'.repeat(10_000) })
    const other = await connect(engine)
    const pages = () => Number(other.pragma('page_count', { simple: true }))
    const full = pages()
    store.reset()
    await clock.advance(130_000)
    await until(() => Number(other.pragma('freelist_count', { simple: true })) === 0)
    expect(store.count('cleanup')).toBeGreaterThanOrEqual(3)
    expect((await engine.stats()).counts).toMatchObject({ completed: 0, pending: 1 })
    expect(full * 4096).toBeGreaterThan(6_000_000)
    expect(pages()).toBeLessThan(full / 4)
    const { location } = await engine.facts()
    other.close()
    await engine.close()
    expect(statSync(location).size).toBeLessThan((full * 4096) / 4)
    const { engine: later } = await another()
    expect((await later.get({ id: kept })).payload).toBe('y'.repeat(10_000))
  })
}

describeEngine('engine on a file', onFile, [sqlite])
