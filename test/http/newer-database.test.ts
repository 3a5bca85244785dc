/** A running server whose database is migrated by a newer version, as in a rolling upgrade. */
import { expect, it } from 'vitest'
import { describeServer } from '../support/server.ts'

const WARNING = 'a newer version has migrated the database; restart this server with that version'

describeServer('a running server whose database a newer version migrates', (startServer) => {
  it('a server keeps working after a newer version migrates its database, and reports that it must be replaced', async () => {
    const server = await startServer({}, { spoilt: true })
    const ready = async () => {
      const response = await fetch(`${server.url}/ready`)
      return [response.status, await response.json()]
    }
    const metric = async () => /^millrace_database_newer .*$/m.exec(await (await fetch(`${server.url}/metrics`)).text())
    await expect.poll(ready).toEqual([200, { status: 'ok', durability: 'full', problems: [] }])
    expect((await metric())?.[0]).toBe('millrace_database_newer 0')

    await server.place.sql(`INSERT INTO millrace_migrations (hash, created_at) VALUES ('newer', 9000000000000000)`)
    const expected = [200, { status: 'ok', durability: 'full', problems: [], warnings: [WARNING] }]
    expect([await ready(), await ready()]).toEqual([expected, expected])
    expect(server.logged.filter(({ msg }) => msg === WARNING)).toHaveLength(1)
    expect((await metric())?.[0]).toBe('millrace_database_newer 1')

    await server.engine.enqueue({ type: 'mail', payload: 1 })
    const [job] = await server.engine.claim({ worker: 'ada', types: ['mail'] })
    if (!job) throw new Error('the job is ready')
    const done = await server.engine.complete({ id: job.id, version: job.version, result: 1 })
    expect(done.status).toBe('completed')
  })
})
