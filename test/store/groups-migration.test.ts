/** Databases of the version before groups, with jobs in every status. */
import { join } from 'node:path'
import { Pool } from 'pg'
import { describe, expect, it, onTestFinished } from 'vitest'
import { clockTime } from '../../server/store/postgres/connection/clock.ts'
import { migrate as migratePostgres } from '../../server/store/postgres/connection/migrate.ts'
import { openPostgresStore } from '../../server/store/postgres/store.ts'
import { migrate as migrateSqlite } from '../../server/store/sqlite/connection/migrate.ts'
import { openSqliteConnection } from '../../server/store/sqlite/connection/open.ts'
import { openSqliteStoreSync } from '../../server/store/sqlite/store.ts'
import type { Store } from '../../server/store/store.ts'
import { listInput } from '../../shared/contracts/observe.ts'
import { emptyCounts, STATUSES, type Status } from '../../shared/status.ts'
import { createBareDatabase, testDatabase } from '../support/postgres/postgres.ts'
import { migrationsBefore } from '../support/store/added-migration.ts'
import { SMALL_RESERVE_BYTES } from '../support/store/migrated-file.ts'
import { tempFolder } from '../support/temp.ts'
import { TestClock } from '../support/test-clock.ts'
import { claim, complete, enqueue, heartbeat, jobAction, plainJob, promote } from './conformance/fixtures.ts'
import type { Values } from './reads/rows.ts'
import { jobRows } from './reads/rows.ts'

const TAG = '0002_add_groups'
const OLD_STATUSES: readonly Status[] = STATUSES.filter((status) => status !== 'blocked')
/** Other ids than those of new jobs. */
const idOf = (seq: number) => `018f6f0e-0000-7000-9000-${seq.toString(16).padStart(12, '0')}`

type Insert = (table: string, values: Values) => void | Promise<void>
type OpenOld = (clock: TestClock, write: (insert: Insert) => Promise<void>) => Promise<Store>

const openOldSqlite: OpenOld = async (clock, write) => {
  const folder = await tempFolder()
  const file = join(folder, 'queue.db')
  migrationsBefore('sqlite', TAG, join(folder, 'migrations'))
  const connection = openSqliteConnection({ file, durability: 'normal' })
  migrateSqlite(connection, join(folder, 'migrations'))
  await write((table, values) => {
    const names = Object.keys(values)
    const places = names.map(() => '?').join(', ')
    connection.client
      .prepare(`INSERT INTO ${table} (${names.join(', ')}) VALUES (${places})`)
      .run(...Object.values(values))
  })
  connection.client.close()
  const store = openSqliteStoreSync({ file, clock, durability: 'normal', maxReserveBytes: SMALL_RESERVE_BYTES })
  onTestFinished(() => store.close())
  return store
}

const openOldPostgres: OpenOld = async (clock, write) => {
  const url = await testDatabase(createBareDatabase)
  const folder = join(await tempFolder(), 'migrations')
  migrationsBefore('postgres', TAG, folder)
  const pool = new Pool({ connectionString: url })
  await migratePostgres(pool, folder)
  await write(async (table, values) => {
    const names = Object.keys(values)
    const places = names.map((_, index) => `$${index + 1}`).join(', ')
    const text = `INSERT INTO ${table} (${names.join(', ')}) OVERRIDING SYSTEM VALUE VALUES (${places})`
    await pool.query(text, Object.values(values))
  })
  await pool.query(`SELECT setval(pg_get_serial_sequence('millrace_jobs', 'seq'), 1000)`)
  await pool.end()
  const store = await openPostgresStore({ url, time: clockTime(clock) })
  onTestFinished(() => store.close())
  return store
}

/** One job in every status of the old version, with a concurrency key, and one without. */
async function writeOldJobs(insert: Insert): Promise<void> {
  await insert('millrace_job_types', { name: 'report', kind: 'job', created_at: 1, updated_at: 1 })
  let seq = 0
  for (const status of OLD_STATUSES) {
    for (const key of ['tenant-1', null]) {
      seq += 1
      const { rows } = jobRows(seq, { status, columns: { id: idOf(seq), concurrency_key: key } })
      for (const [table, values] of rows) await insert(table, values)
    }
    await insert('millrace_job_counts', { type: 'report', status, n: 2 })
  }
}

describe.each([
  ['SQLite', openOldSqlite],
  ['PostgreSQL', openOldPostgres],
] as const)('a %s database of the version before groups', (_, open) => {
  const oldId = (status: Status, n = 0) => idOf(2 * OLD_STATUSES.indexOf(status) + n + 1)

  it('keeps every job with its status, and none of them belongs to a key', async () => {
    const store = await open(new TestClock(), writeOldJobs)
    const { jobs } = await store.list(listInput.parse({ limit: 100, sort: 'oldest' }))
    expect(jobs.map(({ status, groupKey }) => [status, groupKey])).toEqual(
      OLD_STATUSES.flatMap((status) => [
        [status, null],
        [status, null],
      ]),
    )
    expect((await store.counts()).get('report')).toEqual({
      ...emptyCounts(),
      ...Object.fromEntries(OLD_STATUSES.map((status) => [status, 2])),
    })
    expect(await store.groupTotals()).toEqual([])
    expect(await store.groupKey({ name: 'tenant-1', key: 'tenant-1' })).toBeNull()
  })

  it('runs its jobs to their ends, also after the type has got a group', async () => {
    const clock = new TestClock()
    const store = await open(clock, writeOldJobs)
    const group = { key: '/n', concurrency: 1 }
    await store.commit([{ kind: 'declareTypes', types: [{ name: 'report', kind: 'job', declared: { group } }] }])
    const lease = { id: oldId('processing'), version: 0 }
    expect((await store.commit([heartbeat([lease])])).outcomes[0]).toMatchObject({ value: { extended: [lease.id] } })
    await clock.advance(60)
    await store.commit([promote, jobAction('retry', oldId('failed')), jobAction('cancel', oldId('pending'))])
    const [claimed] = (await store.commit([claim({ limit: 100 })])).outcomes
    if (!claimed?.ok) throw new Error('the claim succeeds')
    const { jobs } = claimed.value as { readonly jobs: readonly { id: string; version: number }[] }
    expect(jobs.map(({ id }) => id).toSorted()).toEqual(
      [
        oldId('pending', 1),
        oldId('failed'),
        ...[0, 1].flatMap((n) => [oldId('scheduled', n), oldId('retrying', n)]),
      ].toSorted(),
    )
    const { outcomes } = await store.commit(jobs.map((job) => complete(job)))
    expect(outcomes.every(({ ok }) => ok)).toBe(true)
    expect(await store.groupTotals()).toEqual([])
  })

  it('limits the keys of new jobs beside the old ones', async () => {
    const store = await open(new TestClock(), writeOldJobs)
    const group = { concurrency: 1 }
    await store.commit([{ kind: 'declareTypes', types: [{ name: 'report', kind: 'job', declared: { group } }] }])
    const fresh = () => plainJob({ groupKey: 'tenant-1' })
    const { outcomes } = await store.commit([enqueue(fresh(), fresh())])
    expect(outcomes).toMatchObject([{ ok: true, value: [{ status: 'pending' }, { status: 'blocked' }] }])
    expect(await store.groupTotals()).toEqual([{ name: 'report', keys: 1, pending: 1, processing: 0, blocked: 1 }])
  })
})
