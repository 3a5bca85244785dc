/** The connection to PostgreSQL breaks at COMMIT, for every kind of operation: no operation is lost or applied twice. */
import { Client } from 'pg'
import { beforeAll, expect, onTestFinished, test } from 'vitest'
import type { Op } from '../../../../server/store/ops.ts'
import { clockTime } from '../../../../server/store/postgres/connection/clock.ts'
import { openPostgresStore } from '../../../../server/store/postgres/store.ts'
import { until } from '../../../support/engine.ts'
import { type LostCommit, PostgresLine } from '../../../support/postgres/connection.ts'
import { type PostgresServer, startPostgres } from '../../../support/postgres/server.ts'
import { TestClock } from '../../../support/test-clock.ts'
import { enqueue } from '../../conformance/fixtures.ts'
import { CASES, claimByRequest, plainClaim } from '../../lost/cases.ts'
import { Side } from '../../lost/side.ts'

/** A separate server: on the shared one, other tests cause checkpoints, after which the outcome of a lost commit is unknown. */
let postgres: PostgresServer

beforeAll(async () => {
  postgres = await startPostgres()
  return postgres.stop
})

test('applies every kind of operation once when the response to COMMIT is lost', { timeout: 120_000 }, async () => {
  const { calm, troubled, line } = await begin()
  for (const [kind, cases] of Object.entries(CASES)) {
    for (const make of cases) {
      const expected = await calm.store.commit([await make(calm)])
      const op = await make(troubled)
      const { commit } = await lose(line, 'answer', troubled, [op])
      expect([kind, withoutSeq(commit.outcomes)]).toEqual([kind, withoutSeq(expected.outcomes)])
      expect([kind, commit.changes]).toEqual([kind, expected.changes])
      expect(await troubled.dump()).toEqual(await calm.dump())
    }
  }
})

test.each(['answer', 'request'] as const)(
  'does all of it once in one commit when the %s is lost',
  { timeout: 120_000 },
  async (what) => {
    const { calm, troubled, line } = await begin()
    const many = async (side: Side): Promise<Op[]> => {
      const ops: Op[] = []
      for (const cases of Object.values(CASES)) for (const make of cases) ops.push(await make(side))
      return ops
    }
    const expected = await calm.store.commit(await many(calm))
    const { commit } = await lose(line, what, troubled, await many(troubled))
    expect(withoutSeq(commit.outcomes)).toEqual(withoutSeq(expected.outcomes))
    expect(await troubled.dump()).toEqual(await calm.dump())
  },
)

/** Idempotent operations: a second run returns the same result, or changes nothing. */
const REPEATABLE = [
  'complete',
  'fail',
  'release',
  'heartbeat',
  'progress',
  'seeWorker',
  'declareTypes',
  'enqueue',
  'promote',
]

test('stores idempotent operations once, also when the outcome of the commit is unknown', {
  timeout: 120_000,
}, async () => {
  const { calm, troubled, line } = await begin()
  // As after a crash.
  const checkpoint = async () => void (await troubled.query('CHECKPOINT'))
  const repeatable = Object.entries(CASES).filter(([kind]) => REPEATABLE.includes(kind))
  expect(repeatable).toHaveLength(REPEATABLE.length)
  for (const [kind, cases] of [...repeatable, ['claim', [claimByRequest]] as const]) {
    for (const make of cases) {
      await calm.store.commit([await make(calm)])
      const op = await make(troubled)
      line.lose('answer')
      const { commit } = await troubled.insist([op], checkpoint)
      expect([kind, commit.outcomes[0]?.ok]).toEqual([kind, true])
      expect([kind, await troubled.dump()]).toEqual([kind, await calm.dump()])
    }
  }
})

test('checks the outcome until it is known', async () => {
  const { troubled, line } = await begin()
  const ops = [await plainClaim(troubled)]
  await quiet(troubled)
  line.lose('answer')
  await troubled.store.commit(ops).catch(() => {})
  await line.close()
  for (let n = 0; n < 3; n++)
    await expect(troubled.store.commit(ops)).rejects.toThrow('connection to PostgreSQL is lost')
  await line.open()
  const { commit, unsure } = await troubled.insist(ops)
  expect([unsure, commit.outcomes[0]]).toMatchObject([
    0,
    { ok: true, value: { jobs: [{ version: 1 }, { version: 1 }] } },
  ])
  expect((await troubled.store.counts()).get('claim')).toMatchObject({ pending: 2, processing: 2 })
})

test('ignores a transaction id that was assigned again after a crash', { timeout: 120_000 }, async () => {
  // A separate server that loses its last commits in a crash.
  const server = await startPostgres({ synchronous_commit: 'off', wal_writer_delay: '10s' })
  onTestFinished(server.stop)
  const line = await (await PostgresLine.to(server.url)).open()
  const troubled = await side(server.url, line.url)
  await troubled.query('CHECKPOINT')
  await quiet(troubled)
  const job = troubled.job()
  const ops = [enqueue(job)]
  line.lose('request')
  await troubled.store.commit(ops).catch(() => {})
  expect(line.lost).toBe(1)
  await server.restartImmediately()
  const others = new Client({ connectionString: server.url })
  await others.connect()
  for (let n = 0; n < 200; n++) await others.query('SELECT pg_current_xact_id()')
  await others.end()
  await troubled.insist(ops)
  expect(await troubled.store.get(job.id)).toMatchObject({ id: job.id, status: 'pending' })
})

async function lose(line: PostgresLine, what: LostCommit, side: Side, ops: readonly Op[]) {
  await quiet(side)
  const before = line.lost
  line.lose(what)
  const result = await side.insist(ops)
  expect(line.lost).toBe(before + 1)
  return result
}

/** Waits until the last checkpoint is in an earlier second, so that it precedes the next commit. */
async function quiet(side: Side): Promise<void> {
  const age =
    'SELECT 1 FROM pg_control_checkpoint() WHERE extract(epoch from checkpoint_time) < floor(extract(epoch from clock_timestamp()))'
  await until(async () => (await side.query(age)).length > 0)
}

async function begin(): Promise<{ calm: Side; troubled: Side; line: PostgresLine }> {
  const [here, there] = [await database(), await database()]
  const line = await (await PostgresLine.to(there)).open()
  return { calm: await side(here), troubled: await side(there, line.url), line }
}

/** `way`: the address for the store; the test itself connects directly. */
async function side(url: string, way = url): Promise<Side> {
  const clock = new TestClock()
  const store = await openPostgresStore({ url: way, time: clockTime(clock), onWarning: () => {} })
  const one = new Side(store, clock, url)
  await one.open()
  onTestFinished(() => one.close())
  return one
}

let made = 0

async function database(): Promise<string> {
  const admin = new Client({ connectionString: postgres.url })
  await admin.connect()
  made += 1
  await admin.query(`CREATE DATABASE lost_${made}`)
  await admin.end()
  const url = new URL(postgres.url)
  url.pathname = `/lost_${made}`
  return url.href
}

function withoutSeq(outcomes: unknown): unknown {
  return JSON.parse(JSON.stringify(outcomes, (key, value: unknown) => (key === 'seq' ? undefined : value)))
}
