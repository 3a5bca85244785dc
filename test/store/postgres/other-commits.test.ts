/** Detection of other nodes' commits after a crash of PostgreSQL, which assigns transaction ids a second time. */
import { Client } from 'pg'
import { expect, onTestFinished, test } from 'vitest'
import { databaseTime } from '../../../server/store/postgres/connection/clock.ts'
import { openPostgresStore } from '../../../server/store/postgres/store.ts'
import { type Store, StoreBusy } from '../../../server/store/store.ts'
import { startPostgres } from '../../support/postgres/server.ts'
import { enqueue, plainJob } from '../conformance/fixtures.ts'

const NEXT = 'SELECT pg_snapshot_xmax(pg_current_snapshot())::text::int AS next'

test('detects commits under ids that belonged to this node before the crash', { timeout: 60_000 }, async () => {
  // Loses its last commits in a crash, and assigns their ids again.
  const server = await startPostgres({ synchronous_commit: 'off', wal_writer_delay: '10s' })
  onTestFinished(server.stop)
  const store = await open(server.url)
  await ask(server.url, 'CHECKPOINT')
  for (let n = 0; n < 20; n++) await add(store)
  await store.changedElsewhere()
  const before = await ask(server.url, NEXT)
  await server.restartImmediately()
  const other = await open(server.url)
  await add(other)
  expect(await ask(server.url, NEXT)).toBeLessThan(before)
  // By the next poll, own commits have moved the ids past their earlier maximum.
  for (let n = 0; n < 40; n++) await add(store)
  expect(await ask(server.url, NEXT)).toBeGreaterThan(before)
  expect([await store.changedElsewhere(), await store.changedElsewhere()]).toEqual([true, false])
})

async function open(url: string): Promise<Store> {
  const store = await openPostgresStore({ url, time: databaseTime, onWarning: () => {} })
  onTestFinished(() => store.close())
  return store
}

/** Retries like the engine. */
async function add(store: Store): Promise<void> {
  const ops = [enqueue(plainJob())]
  for (;;) {
    try {
      await store.commit(ops)
      return
    } catch (error) {
      if (!(error instanceof StoreBusy)) throw error
    }
  }
}

async function ask(url: string, question: string): Promise<number> {
  const client = new Client({ connectionString: url })
  await client.connect()
  try {
    return (await client.query<{ next: number }>(question)).rows[0]?.next ?? 0
  } finally {
    await client.end()
  }
}
