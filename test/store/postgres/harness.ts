/** A PostgreSQL store on a new database, and a second connection to inspect it. */
import { Client, type QueryResultRow } from 'pg'
import { clockTime } from '../../../server/store/postgres/connection/clock.ts'
import { openPostgresStore } from '../../../server/store/postgres/store.ts'
import type { Store } from '../../../server/store/store.ts'
import { emptyCounts, type Status, type StatusCounts } from '../../../shared/status.ts'
import { createDatabase, type TestDatabase } from '../../support/postgres/postgres.ts'
import { TestClock } from '../../support/test-clock.ts'
import type { KeyCount, KeyRow, OpenOptions, StoreHarness } from '../harness.ts'
import { COUNT_KEYS, SELECT_KEYS } from '../key-rows.ts'

/** Tables with the order of their rows. */
const CHILDREN = {
  millrace_job_bodies: 'seq',
  millrace_job_results: 'seq',
  millrace_job_attempts: 'version',
  millrace_job_logs: 'id',
} as const

interface Place extends OpenOptions {
  readonly url: string
  readonly clock: TestClock
}

export function postgresHarness(name = 'PostgreSQL', create = createDatabase): StoreHarness {
  const places = new Map<Store, Place>()
  const databases: TestDatabase[] = []
  let newest: Place | undefined
  let eyes: { readonly url: string; readonly client: Client } | undefined

  async function openAt(place: Place): Promise<Store> {
    const { url, clock, defaults } = place
    const store = await openPostgresStore({ url, time: clockTime(clock), ...(defaults && { defaults }) })
    places.set(store, place)
    return store
  }

  /** One connection per database: inspection is frequent, and connecting takes 10 ms. */
  async function select<Row extends QueryResultRow>(sql: string, values: unknown[] = []): Promise<Row[]> {
    if (!newest) throw new Error('no store was opened')
    if (eyes?.url !== newest.url) {
      await eyes?.client.end()
      eyes = { url: newest.url, client: new Client({ connectionString: newest.url }) }
      await eyes.client.connect()
    }
    return (await eyes.client.query<Row>(sql, values)).rows
  }

  return {
    name,
    async open(options = {}) {
      const database = await create()
      databases.push(database)
      newest = { clock: new TestClock(), ...options, url: database.url }
      return openAt(newest)
    },
    async openAnother(store) {
      const place = places.get(store)
      if (!place) throw new Error('openAnother wants a store of this harness')
      return openAt(place)
    },
    async countByStatus() {
      const counts = new Map<string, StatusCounts>()
      const rows = await select<{ type: string; status: Status; n: number }>(
        'select type, status, count(*)::int as n from millrace_jobs group by type, status',
      )
      for (const { type, status, n } of rows) counts.set(type, { ...(counts.get(type) ?? emptyCounts()), [status]: n })
      return counts
    },
    async keyRows() {
      return {
        rows: await select<KeyRow & QueryResultRow>(SELECT_KEYS),
        jobs: await select<KeyCount & QueryResultRow>(COUNT_KEYS),
      }
    },
    async dumpJob(id) {
      const [job] = await select<{ seq: string }>('select * from millrace_jobs where id = $1', [id])
      const dump: Record<string, unknown> = { job }
      for (const [table, order] of Object.entries(CHILDREN)) {
        dump[table] = await select(`select * from ${table} where seq = $1 order by ${order}`, [job?.seq ?? 0])
      }
      return dump
    },
    async countRows() {
      const counts: Record<string, number> = {}
      for (const table of ['millrace_jobs', ...Object.keys(CHILDREN)]) {
        const [row] = await select<{ n: number }>(`select count(*)::int as n from ${table}`)
        counts[table] = row?.n ?? 0
      }
      return counts
    },
    async cleanup() {
      for (const store of places.keys()) await store.close()
      places.clear()
      await eyes?.client.end()
      eyes = undefined
      for (const database of databases.splice(0)) await database.drop()
    },
  }
}
