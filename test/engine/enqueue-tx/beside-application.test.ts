/** A queue in the database of an application that has tables named jobs, users, sessions, settings, tokens and workers. */
import { join } from 'node:path'
import { describe, expect, it, onTestFinished } from 'vitest'
import { openEngine } from '../../../server/compose/open-engine.ts'
import type { Engine } from '../../../server/engine/engine.ts'
import { createTq } from '../../../server/sdk/entries/tq.ts'
import { migrate as migratePostgres } from '../../../server/store/postgres/connection/migrate.ts'
import { connectPostgres } from '../../../server/store/postgres/connection/open.ts'
import { migrate as migrateSqlite } from '../../../server/store/sqlite/connection/migrate.ts'
import { openSqliteConnection } from '../../../server/store/sqlite/connection/open.ts'
import { mountOn } from '../../http/support/mounted.ts'
import { APPLICATIONS, type Application } from '../../support/programs/application.ts'
import { addMigration } from '../../support/store/added-migration.ts'
import { tempFolder } from '../../support/temp.ts'

async function engineOf({ url }: Application): Promise<Engine> {
  const engine = await openEngine({ url, onWarning: () => {} })
  onTestFinished(() => engine.close())
  return engine
}

describe.each(APPLICATIONS)('a queue beside the tables of an application on %s', (_, create) => {
  it('a queue does not change the tables of the application', async () => {
    const app = await create()
    const before = await app.dump()
    const engine = await engineOf(app)
    const { id } = await engine.enqueue({ type: 'mail', payload: { to: 'ada' } })
    const [job] = await engine.claim({ worker: 'w', types: ['mail'] })
    if (job) await engine.complete({ id: job.id, version: job.version, result: 'sent' })
    expect((await engine.get({ id })).status).toBe('completed')
    await engine.close()
    await (await engineOf(app)).close()
    expect(await app.dump()).toEqual(before)
  })

  it('enqueueTx commits or rolls back with the rows of the application', async () => {
    const app = await create()
    const before = await app.dump()
    const engine = await engineOf(app)
    const addUser = async (end: 'COMMIT' | 'ROLLBACK') => {
      await app.sql('BEGIN')
      await app.sql(`INSERT INTO users (id, about) VALUES ('2', 'new')`)
      const { id } = await engine.enqueueTx(app.handle.client, { type: 'welcome', payload: 1 })
      await app.sql(`UPDATE users SET job_id = '${id}' WHERE id = '2'`)
      await app.sql(end)
      return id
    }
    await addUser('ROLLBACK')
    expect([await app.dump(), (await engine.stats()).counts.pending]).toEqual([before, 0])
    const id = await addUser('COMMIT')
    expect(await app.sql('SELECT job_id FROM users WHERE job_id IS NOT NULL')).toEqual([{ job_id: id }])
    expect((await engine.get({ id })).status).toBe('pending')
  })

  it('tq and the dashboard work beside tables with the same names', async () => {
    const app = await create()
    const before = await app.dump()
    const { handle } = app
    const quiet = { onWarning: () => {} }
    const tq =
      handle.dialect === 'sqlite' ? createTq({ db: handle.db, ...quiet }) : createTq({ url: app.url, ...quiet })
    onTestFinished(() => tq.stop({ graceMs: 0 }))
    const ran = new Promise((resolve) => {
      tq<{ to: string }>('mail').setWorker(({ to }) => resolve(to))
    })
    tq('mail').add({ to: 'ada' })
    expect(await ran).toBe('ada')
    await tq.stop()
    const engine = await engineOf(app)
    const { url, errors } = await mountOn(engine)
    const page = await fetch(`${url}/`)
    const types = await fetch(`${url}/trpc/types.list`)
    expect([page.status, types.status]).toEqual([200, 200])
    expect(await types.text()).toContain('"mail"')
    expect([errors, await app.dump()]).toEqual([[], before])
  }, 30_000)

  it('a migration does not change the tables of the application', async () => {
    const app = await create()
    const before = await app.dump()
    const { dialect } = app.handle
    await (await engineOf(app)).close()
    const folder = join(await tempFolder(), 'migrations')
    addMigration(dialect, folder, 'ALTER TABLE millrace_jobs ADD COLUMN later integer')
    if (dialect === 'sqlite') {
      const connection = openSqliteConnection({ file: app.url.replace('sqlite:', ''), durability: 'full' })
      migrateSqlite(connection, folder)
      connection.client.close()
    } else {
      const { pool } = await connectPostgres(app.url)
      await migratePostgres(pool, folder)
      await pool.end()
    }
    expect(await app.sql('SELECT later FROM millrace_jobs')).toEqual([])
    expect(await app.dump()).toEqual(before)
  })
})
