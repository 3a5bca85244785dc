/** Limits with concurrent nodes on PostgreSQL: values read before waiting for a lock are read again. */
import { Client } from 'pg'
import { expect, onTestFinished, test } from 'vitest'
import type { ClaimedRow, ClaimOutcome, Op } from '../../../server/store/ops.ts'
import { clockTime } from '../../../server/store/postgres/connection/clock.ts'
import { openPostgresStore } from '../../../server/store/postgres/store.ts'
import type { Store } from '../../../server/store/store.ts'
import { until } from '../../support/engine.ts'
import { createBareDatabase, testDatabase } from '../../support/postgres/postgres.ts'
import { START, TestClock } from '../../support/test-clock.ts'
import { claim, enqueue, plainJob } from '../conformance/fixtures.ts'

const WAITING = `select 1 from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'`

// 3,000: more than the difference of clocks that a bucket tolerates.
test.for([500, 3_000])('refills a limit up to the time after the wait for its lock, %i ms later', async (later) => {
  const url = await testDatabase()
  const { store, clock } = await open(url)
  await declare(store, 'paced', { rate: 1, burst: 1 })
  await store.commit([enqueue(...jobs('paced', 3))])
  expect(await take(store, ['paced'])).toHaveLength(1)
  await clock.advance(5_000)
  const other = await connect(url)
  await other.query('begin')
  await other.query(`select 1 from millrace_job_types where name = 'paced' for update`)
  const claiming = take(store, ['paced'])
  await until(async () => (await look(url, WAITING)) === 1)
  // The other node took the tokens that had accumulated until then.
  await other.query('update millrace_rate_buckets set tokens = 0, refilled_at = $1', [START + 5_000 + later])
  await clock.advance(later + 200)
  await other.query('commit')
  expect(await claiming).toEqual([])
  await clock.advance(799)
  expect(await take(store, ['paced'])).toEqual([])
  await clock.advance(1)
  const [next] = await take(store, ['paced'])
  expect(next?.startedAt).toBe(START + 6_000 + later)
})

test('does not write token buckets that it only read', async () => {
  const url = await testDatabase()
  const [fast, slow] = [await open(url), await open(url)]
  await declare(fast.store, 'paced', { rate: 0.001, burst: 3 })
  await declare(fast.store, 'free', {})
  await fast.store.commit([enqueue(...jobs('paced', 9), ...jobs('free', 2))])
  // Its transaction begins before the other one: its bucket was refilled in the future.
  await fast.clock.advance(1_000)
  expect(await take(fast.store, ['paced'], 1)).toHaveLength(1)
  await slow.store.commit([enqueue(...jobs('paced', 1))])
  expect(await take(fast.store, ['paced'], 2)).toHaveLength(2)
  expect(await take(slow.store, ['free'], 1)).toHaveLength(1)
  expect(await take(fast.store, ['paced'], 9)).toEqual([])
})

test('locks a type that became limited while it waited for another limit', async () => {
  const url = await testDatabase(createBareDatabase)
  const { store } = await open(url)
  await declare(store, 'a', { maxConcurrency: 5 })
  await store.commit([enqueue(...jobs('a', 1), ...jobs('b', 3))])
  const other = await connect(url)
  // Starting a job blocks here until the lock is released.
  await other.query(`select pg_advisory_lock(1);
    create function stop() returns trigger language plpgsql as
      $$ begin perform pg_advisory_xact_lock_shared(1); return new; end $$;
    create trigger stop before update on millrace_jobs for each row when (new.status = 'processing') execute function stop()`)
  await other.query('begin')
  await other.query(`select 1 from millrace_job_types where name = 'a' for update`)
  const claiming = take(store, ['a', 'b'], 9)
  await until(async () => (await look(url, WAITING)) === 1)
  await look(
    url,
    `update millrace_job_types set override = '{"maxConcurrency":1}' where name = 'b';
    insert into millrace_job_counts (type, status, node, n) values ('', 'rules', 'other', 1)`,
  )
  await other.query('commit')
  await until(async () => (await look(url, `${WAITING} and wait_event = 'advisory'`)) === 1)
  const busy = look(url, `select 1 from millrace_job_types where name = 'b' for update nowait`)
  await expect(busy).rejects.toThrow('could not obtain lock')
  await other.query('select pg_advisory_unlock(1)')
  expect((await claiming).map(({ type }) => type).toSorted()).toEqual(['a', 'b'])
})

test('lets nodes update the same workers at once, in any order', async () => {
  const url = await testDatabase(createBareDatabase)
  const [one, other] = [await open(url), await open(url)]
  const workers = Array.from({ length: 30 }, (_, n) => `worker-${n}`)
  const see = (names: readonly string[]): Op[] =>
    names.map((worker, n) => ({ kind: 'seeWorker', worker, types: n % 2 === 0 ? ['mail'] : null }))
  for (let round = 0; round < 20; round++) {
    await Promise.all([one.store.commit(see(workers)), other.store.commit(see(workers.toReversed()))])
  }
  const seen = await one.store.workers()
  expect(seen.map(({ name, types }) => [name, types]).toSorted()).toEqual(
    workers.map((name) => [name, ['mail']]).toSorted(),
  )
  await one.store.close()
  await other.store.close()
  // The server updates its statistics when a connection ends.
  const connected = `select 1 from pg_stat_activity where datname = current_database() and application_name = 'millrace'`
  await until(async () => (await look(url, connected)) === 0)
  expect(await look(url, 'select 1 from pg_stat_database where datname = current_database() and deadlocks > 0')).toBe(0)
})

async function open(url: string): Promise<{ readonly store: Store; readonly clock: TestClock }> {
  const clock = new TestClock()
  const store = await openPostgresStore({ url, time: clockTime(clock) })
  onTestFinished(() => store.close())
  return { store, clock }
}

async function connect(url: string): Promise<Client> {
  const client = new Client({ connectionString: url })
  await client.connect()
  onTestFinished(() => client.end())
  return client
}

/** Number of rows, on a separate connection. */
async function look(url: string, text: string): Promise<number> {
  const client = new Client({ connectionString: url })
  await client.connect()
  try {
    return (await client.query(text)).rowCount ?? 0
  } finally {
    await client.end()
  }
}

async function declare(store: Store, name: string, declared: Readonly<Record<string, number>>): Promise<void> {
  await store.commit([{ kind: 'declareTypes', types: [{ name, kind: 'job', declared }] }])
}

function jobs(type: string, count: number) {
  return Array.from({ length: count }, () => plainJob({ type }))
}

async function take(store: Store, types: readonly string[], limit = 9): Promise<readonly ClaimedRow[]> {
  const op: Op = claim({ types, limit })
  const [outcome] = (await store.commit([op])).outcomes
  if (!outcome?.ok) throw outcome?.error ?? new Error('no outcome')
  return (outcome.value as ClaimOutcome).jobs
}
