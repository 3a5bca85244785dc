/** A node that hangs inside a transaction: its row locks are released, and it recovers when it continues. */
import { expect, onTestFinished, test } from 'vitest'
import type { ClaimOutcome } from '../../../../server/store/ops.ts'
import { databaseTime, type StoreTimeSource } from '../../../../server/store/postgres/connection/clock.ts'
import { connectPostgres } from '../../../../server/store/postgres/connection/open.ts'
import { classifyError } from '../../../../server/store/postgres/connection/postgres-errors.ts'
import { openPostgresStore, type PostgresStoreOptions } from '../../../../server/store/postgres/store.ts'
import { type Commit, type Store, StoreBusy } from '../../../../server/store/store.ts'
import { until } from '../../../support/engine.ts'
import { testDatabase } from '../../../support/postgres/postgres.ts'
import { claim, complete, enqueue, plainJob } from '../../conformance/fixtures.ts'

const IDLE_MS = 300

test('loses its row locks after the idle timeout, and its commit is refused', async () => {
  const url = await testDatabase()
  const store = await open(url)
  const job = await held(store)
  const { pool } = await connectPostgres(url, { idleTransactionMs: IDLE_MS })
  onTestFinished(() => pool.end())
  const hung = await pool.connect()
  await hung.query('begin')
  await hung.query('select 1 from millrace_jobs where id = $1 for update', [job.id])
  // Waits for the row lock, and gets it when the server ends the other transaction.
  const [outcome] = (await store.commit([complete(job)])).outcomes
  expect(outcome).toMatchObject({ ok: true, value: { status: 'completed', repeated: false } })
  const error = await hung.query('select 1').catch((reason: unknown) => reason)
  hung.release(true)
  expect(classifyError(error)).toBe('unreachable')
})

test('continues after a hang, with its transaction rolled back', async () => {
  const url = await testDatabase()
  const other = await open(url)
  const job = await held(other)
  const time = stoppable()
  const store = await open(url, { time, idleTransactionMs: IDLE_MS })
  time.stop()
  const late = store.commit([complete(job)]).catch((reason: unknown) => reason)
  await time.asked
  // The other node commits first.
  expect((await insist(other, job)).outcomes[0]).toMatchObject({ ok: true, value: { repeated: false } })
  await until(async () => (await activity(url)) === 0)
  time.go()
  expect(await late).toBeInstanceOf(StoreBusy)
  expect((await insist(store, job)).outcomes[0]).toMatchObject({ ok: true, value: { repeated: true } })
  expect((await store.counts()).get('report')).toMatchObject({ completed: 1, processing: 0 })
})

test('has a default idle timeout below the statement timeout of other nodes', async () => {
  const { pool } = await connectPostgres(await testDatabase())
  onTestFinished(() => pool.end())
  const { rows } = await pool.query(
    `select name, setting::int as ms from pg_settings where name in ('statement_timeout', 'idle_in_transaction_session_timeout')`,
  )
  const ms = Object.fromEntries(rows.map((row) => [row.name, row.ms]))
  expect(ms.idle_in_transaction_session_timeout).toBeGreaterThan(0)
  expect(ms.idle_in_transaction_session_timeout).toBeLessThan(ms.statement_timeout / 2)
})

/** A time source that blocks its callers while it is stopped. */
function stoppable(): StoreTimeSource & { stop(): void; go(): void; readonly asked: Promise<void> } {
  let [onCall, go] = [() => {}, () => {}]
  let gate: Promise<void> | null = null
  const asked = new Promise<void>((resolve) => {
    onCall = resolve
  })
  return {
    asked,
    sql: databaseTime.sql,
    fixed: databaseTime.fixed,
    monotonic: databaseTime.monotonic,
    async now(queryable) {
      const now = await databaseTime.now(queryable)
      if (!gate) return now
      // Only now: the response shows that the transaction has begun, and its locks were sent with this query.
      onCall()
      await gate
      return databaseTime.now(queryable)
    },
    stop() {
      gate = new Promise((resolve) => {
        go = resolve
      })
    },
    go() {
      gate = null
      go()
    },
  }
}

/** Closed at the end of the test. */
async function open(url: string, options: Partial<PostgresStoreOptions> = {}): Promise<Store> {
  const store = await openPostgresStore({ url, time: databaseTime, ...options })
  onTestFinished(() => store.close())
  return store
}

async function held(store: Store): Promise<{ readonly id: string; readonly version: number }> {
  const { outcomes } = await store.commit([enqueue(plainJob()), claim()])
  const [, outcome] = outcomes
  const job = outcome?.ok ? (outcome.value as ClaimOutcome).jobs[0] : undefined
  if (!job) throw new Error('nothing was claimed')
  return job
}

/** Retries like the engine. */
async function insist(store: Store, job: { readonly id: string; readonly version: number }): Promise<Commit> {
  const ops = [complete(job)]
  for (;;) {
    try {
      return await store.commit(ops)
    } catch (error) {
      if (!(error instanceof StoreBusy)) throw error
    }
  }
}

/** Number of transactions that are idle. */
async function activity(url: string): Promise<number> {
  const { pool } = await connectPostgres(url, { poolSize: 1 })
  try {
    const open = `select 1 from pg_stat_activity where datname = current_database() and state like 'idle in transaction%'`
    return (await pool.query(open)).rowCount ?? 0
  } finally {
    await pool.end()
  }
}
