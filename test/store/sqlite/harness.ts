/** A SQLite store on a new file, and a second connection to inspect it. */
import { join } from 'node:path'
import Database from 'better-sqlite3'
import { openSqliteStoreSync } from '../../../server/store/sqlite/store.ts'
import type { Store } from '../../../server/store/store.ts'
import { emptyCounts, type Status } from '../../../shared/status.ts'
import { SMALL_RESERVE_BYTES, writeMigratedFile } from '../../support/store/migrated-file.ts'
import { makeTempFolder, type TempFolder } from '../../support/temp.ts'
import { TestClock } from '../../support/test-clock.ts'
import type { KeyCount, KeyRow, OpenOptions, StoreHarness } from '../harness.ts'
import { COUNT_KEYS, SELECT_KEYS } from '../key-rows.ts'

const CHILDREN = ['millrace_job_bodies', 'millrace_job_results', 'millrace_job_attempts', 'millrace_job_logs'] as const

interface Place extends OpenOptions {
  readonly file: string
  readonly clock: TestClock
}

export function sqliteHarness(): StoreHarness {
  const places = new Map<Store, Place>()
  const folders: TempFolder[] = []
  let newest: Place | undefined

  async function openAt(place: Place): Promise<Store> {
    const { file, clock, defaults } = place
    const maxReserveBytes = SMALL_RESERVE_BYTES
    // No fsync per commit: conformance does not depend on power cuts.
    const store = openSqliteStoreSync({
      file,
      clock,
      durability: 'normal',
      maxReserveBytes,
      ...(defaults && { defaults }),
    })
    places.set(store, place)
    return store
  }

  function look<Result>(ask: (client: Database.Database) => Result): Result {
    if (!newest) throw new Error('no store was opened')
    const client = new Database(newest.file, { readonly: true })
    try {
      return ask(client)
    } finally {
      client.close()
    }
  }

  return {
    name: 'SQLite',
    async open(options = {}) {
      const folder = await makeTempFolder()
      folders.push(folder)
      newest = { clock: new TestClock(), ...options, file: join(folder.path, 'queue.db') }
      await writeMigratedFile(newest.file)
      return openAt(newest)
    },
    async openAnother(store) {
      const place = places.get(store)
      if (!place) throw new Error('openAnother wants a store of this harness')
      return openAt(place)
    },
    async countByStatus() {
      const rows = look((client) =>
        client
          .prepare<[], { type: string; status: Status; n: number }>(
            'SELECT type, status, count(*) AS n FROM millrace_jobs GROUP BY type, status',
          )
          .all(),
      )
      const counts = new Map<string, ReturnType<typeof emptyCounts>>()
      for (const { type, status, n } of rows) counts.set(type, { ...(counts.get(type) ?? emptyCounts()), [status]: n })
      return counts
    },
    async keyRows() {
      return look((client) => ({
        rows: client.prepare<[], KeyRow>(SELECT_KEYS).all(),
        jobs: client.prepare<[], KeyCount>(COUNT_KEYS).all(),
      }))
    },
    async dumpJob(id) {
      return look((client) => {
        const job = client.prepare<[string], { seq: number }>('SELECT * FROM millrace_jobs WHERE id = ?').get(id)
        const children = CHILDREN.map((table) => [
          table,
          client.prepare(`SELECT * FROM ${table} WHERE seq = ? ORDER BY rowid`).all(job?.seq ?? 0),
        ])
        return { job, ...Object.fromEntries(children) }
      })
    },
    async countRows() {
      return look((client) =>
        Object.fromEntries(
          ['millrace_jobs', ...CHILDREN].map((table) => [
            table,
            client.prepare<[], number>(`SELECT count(*) FROM ${table}`).pluck().get() ?? 0,
          ]),
        ),
      )
    },
    async cleanup() {
      for (const store of places.keys()) await store.close()
      places.clear()
      for (const folder of folders.splice(0)) await folder.remove()
    },
  }
}
