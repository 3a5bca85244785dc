/** Opening a PostgreSQL database that is not available yet: bounded wait, unless waiting cannot help. */
import { Client } from 'pg'
import { expect, onTestFinished, test } from 'vitest'
import { databaseTime } from '../../../../server/store/postgres/connection/clock.ts'
import { openPostgresStore } from '../../../../server/store/postgres/store.ts'
import type { Store } from '../../../../server/store/store.ts'
import { until } from '../../../support/engine.ts'
import { PostgresLine } from '../../../support/postgres/connection.ts'
import { createBareDatabase, testDatabase } from '../../../support/postgres/postgres.ts'
import { TestClock } from '../../../support/test-clock.ts'

const WAIT_MS = 60_000

test('retries with backoff while the server refuses connections, and opens when it is available', async () => {
  const line = await PostgresLine.to(await testDatabase())
  const { opening, clock, waits } = begin(line.url)
  const pauses: number[] = []
  while (pauses.length < 7) {
    await until(() => waits.length > pauses.length)
    pauses.push(clock.nextInMs())
    await clock.advance(clock.nextInMs())
  }
  // Half of each delay is jitter, which is at its maximum here.
  expect(pauses).toEqual([250, 500, 1_000, 2_000, 4_000, 5_000, 5_000])
  expect(waits[1]).toMatch(
    /^Waiting for PostgreSQL at 127\.0\.0\.1:\d+\/\S+ \(connect ECONNREFUSED \S+\); trying again in 0\.5 s, for 60 s more\.$/,
  )
  await line.open()
  await until(() => waits.length > pauses.length)
  await clock.advance(5_000)
  const store = await opening
  expect(await store.counts()).toEqual(new Map())
})

test('stops waiting after the time limit, with an error', async () => {
  const line = await PostgresLine.to(await testDatabase())
  const { opening, clock, waits } = begin(line.url)
  const failed = reason(opening)
  let [tries, passed] = [0, 0]
  while (passed < WAIT_MS) {
    await until(() => waits.length > tries)
    tries = waits.length
    passed += clock.nextInMs()
    await clock.advance(clock.nextInMs())
  }
  expect(await failed).toMatch(
    /^PostgreSQL at \S+ could not be reached for 60 s \(.*ECONNREFUSED.*\); start it, or check/,
  )
  expect(passed).toBe(WAIT_MS)
})

test('tries once without a wait option', async () => {
  const line = await PostgresLine.to(await testDatabase())
  expect(await reason(open(line.url))).toMatch(
    /^PostgreSQL at \S+ cannot be reached \(.*\); start it, or check DATABASE_URL/,
  )
})

test('waits for a server that is starting up', async () => {
  const line = await (await PostgresLine.to(await testDatabase())).startUp()
  const { opening, clock, waits } = begin(line.url)
  await until(() => waits.length === 1)
  expect(waits[0]).toContain('(the database system is starting up)')
  await line.open()
  await clock.advance(250)
  expect(await (await opening).counts()).toEqual(new Map())
})

test('waits when the server becomes unavailable during a migration', async () => {
  const url = await testDatabase(createBareDatabase)
  const line = await (await PostgresLine.to(url)).open()
  const locker = new Client({ connectionString: url })
  await locker.connect()
  onTestFinished(() => locker.end())
  await locker.query('create table millrace_migrations (id serial primary key, hash text, created_at bigint)')
  await locker.query('begin')
  await locker.query('lock table millrace_migrations')
  const { opening, clock, waits } = begin(line.url)
  const stuck = `select pid from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'`
  await until(async () => (await ask(url, stuck)).length > 0)
  line.cut()
  await until(() => waits.length === 1)
  expect(waits[0]).toContain('Connection terminated unexpectedly')
  await locker.query('commit')
  await clock.advance(250)
  expect(await (await opening).counts()).toEqual(new Map())
})

test('does not wait where waiting cannot help, and names the remedy', async () => {
  const url = await testDatabase()
  const change = (edit: (url: URL) => void) => {
    const changed = new URL(url)
    edit(changed)
    return changed.href
  }
  await ask(url, `create role poor login password 'poor'`)
  onTestFinished(() => ask(url, 'drop role poor').then(() => {}))
  const bare = await testDatabase(createBareDatabase)
  const asPoor = new URL(bare)
  asPoor.username = 'poor'
  asPoor.password = 'poor'
  const cases: [string, RegExp][] = [
    [change((u) => (u.password = 'wrong-secret')), /rejected the login \(password .*check user and password/],
    [
      change((u) => (u.pathname = '/nowhere')),
      /database does not exist \(database "nowhere" does not exist\); create it/,
    ],
    [
      change((u) => u.searchParams.set('sslmode', 'verify-full')),
      /does not support TLS; remove sslmode from DATABASE_URL/,
    ],
    [
      asPoor.href,
      /lacks a privilege that the queue needs \(permission denied .*GRANT USAGE, CREATE ON SCHEMA public TO poor\.$/,
    ],
  ]
  for (const [address, words] of cases) {
    const { opening, clock, waits } = begin(address)
    const message = await reason(opening)
    expect(message).toMatch(words)
    expect(message).not.toContain('wrong-secret')
    expect([waits, clock.pendingTimers]).toEqual([[], 0])
  }
})

class WaitingClock extends TestClock {
  #nextAt = 0

  override after(delayMs: number, run: () => void) {
    this.#nextAt = this.monotonic() + delayMs
    return super.after(delayMs, run)
  }

  /** Remaining time of the last timer. */
  nextInMs(): number {
    return this.#nextAt - this.monotonic()
  }
}

function begin(url: string) {
  const clock = new WaitingClock()
  const waits: string[] = []
  const wait = { waitMs: WAIT_MS, clock, random: () => 1, onWait: (message: string) => waits.push(message) }
  return { opening: open(url, { wait }), clock, waits }
}

/** Closed at the end of the test. */
function open(url: string, options: Partial<Parameters<typeof openPostgresStore>[0]> = {}): Promise<Store> {
  const opening = openPostgresStore({ url, time: databaseTime, ...options })
  onTestFinished(async () => {
    await opening.then(
      (store) => store.close(),
      () => {},
    )
  })
  return opening
}

function reason(opening: Promise<Store>): Promise<string> {
  return opening.then(
    () => Promise.reject(new Error('it was opened')),
    (error: unknown) => (error instanceof Error ? error.message : String(error)),
  )
}

async function ask(url: string, question: string): Promise<unknown[]> {
  const client = new Client({ connectionString: url })
  await client.connect()
  try {
    return (await client.query(question)).rows
  } finally {
    await client.end()
  }
}
