/** `millrace/schema`: an application joins its tables with the queue's through Drizzle. */
import { eq } from 'drizzle-orm'
import { pgTable, text as pgText } from 'drizzle-orm/pg-core'
import { sqliteTable, text } from 'drizzle-orm/sqlite-core'
import { describe, expect, it, onTestFinished } from 'vitest'
import { openEngine } from '../../../server/compose/open-engine.ts'
import { postgres, sqlite } from '../../../server/sdk/entries/schema.ts'
import { APPLICATIONS, type Application } from '../../support/programs/application.ts'

const users = {
  sqlite: sqliteTable('users', { id: text('id').primaryKey(), jobId: text('job_id') }),
  postgres: pgTable('users', { id: pgText('id').primaryKey(), jobId: pgText('job_id') }),
}

/** The users with their jobs and payloads. */
async function mailed({ handle }: Application): Promise<readonly unknown[]> {
  if (handle.dialect === 'sqlite') {
    const { jobs, jobBodies } = sqlite
    const columns = { user: users.sqlite.id, status: jobs.status, runAt: jobs.runAt, payload: jobBodies.payload }
    return handle.db
      .select(columns)
      .from(users.sqlite)
      .innerJoin(jobs, eq(jobs.id, users.sqlite.jobId))
      .innerJoin(jobBodies, eq(jobBodies.seq, jobs.seq))
      .all()
  }
  const { jobs, jobBodies } = postgres
  const columns = { user: users.postgres.id, status: jobs.status, runAt: jobs.runAt, payload: jobBodies.payload }
  return handle.db
    .select(columns)
    .from(users.postgres)
    .innerJoin(jobs, eq(jobs.id, users.postgres.jobId))
    .innerJoin(jobBodies, eq(jobBodies.seq, jobs.seq))
}

describe.each(APPLICATIONS)('the tables of millrace/schema on %s', (_, create) => {
  it('the tables of millrace/schema can be joined with tables of the application', async () => {
    const app = await create()
    const engine = await openEngine({ url: app.url, onWarning: () => {} })
    onTestFinished(() => engine.close())
    await engine.enqueue({ type: 'other', payload: 0 })
    const { id } = await engine.enqueue({ type: 'mail', payload: { to: 'ada' } })
    await app.sql(`UPDATE users SET job_id = '${id}'`)
    const { runAt } = await engine.get({ id })
    expect(await mailed(app)).toEqual([{ user: '1', status: 'pending', runAt, payload: '{"to":"ada"}' }])
  })
})
