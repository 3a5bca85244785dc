/** A server during a PostgreSQL outage: calls fail with BUSY, probes fail, and both recover. */
import { expect, it, onTestFinished } from 'vitest'
import { readConfig } from '../../server/base/config/config.ts'
import { readServerConfig } from '../../server/base/config/server-config.ts'
import { openLog } from '../../server/base/log.ts'
import { serve } from '../../server/ops/serve.ts'
import { add, until } from '../support/engine.ts'
import { PostgresLine } from '../support/postgres/connection.ts'
import { testDatabase } from '../support/postgres/postgres.ts'
import { call } from '../support/server.ts'

const READS: [string, unknown][] = [
  ['get', { id: '01890a5d-ac96-774b-bcce-b302099a8057' }],
  ['list', { search: 'x' }],
  ['stats', {}],
  ['history', {}],
  ['result', { ids: ['01890a5d-ac96-774b-bcce-b302099a8057'] }],
  ['explain', { id: '01890a5d-ac96-774b-bcce-b302099a8057' }],
  ['types.list', undefined],
  ['workers.list', undefined],
  ['failures.groups', {}],
]

async function start() {
  const line = await PostgresLine.to(await testDatabase())
  await line.open()
  const lines: string[] = []
  const env = { DATABASE_URL: line.url, PORT: '0' }
  const server = await serve({
    config: readConfig(env),
    server: readServerConfig(env),
    log: openLog('info', { write: (text) => lines.push(text) }),
    pageFolder: null,
    onFatal: (error) => {
      throw error
    },
  })
  onTestFinished(async () => {
    await line.open()
    await server.close()
  })
  const url = `http://127.0.0.1:${server.address.port}`
  const probe = async (path: string) => {
    const response = await fetch(`${url}${path}`)
    return { status: response.status, body: await response.json() }
  }
  await until(() => server.engine.upkeepAt !== null)
  return { line, server, url, probe, logged: () => lines.map((text) => JSON.parse(text)) }
}

it('a server rejects reads with BUSY while PostgreSQL is unavailable, and recovers', async () => {
  const { line, server, url, logged } = await start()
  const id = await add(server.engine)
  await line.close()
  for (const [procedure, input] of READS) {
    const response = await call({ url }, procedure, 'query', input)
    expect([procedure, response.status]).toEqual([procedure, 503])
    expect(response.body).toMatchObject({
      error: { message: expect.stringMatching(/try again in a moment/i), data: { queueCode: 'BUSY' } },
    })
  }
  expect(logged().filter(({ level, msg }) => level === 50 && msg === 'a call failed')).toEqual([])
  await line.open()
  expect(await call({ url }, 'get', 'query', { id })).toMatchObject({ status: 200 })
  expect(await call({ url }, 'stats', 'query', {})).toMatchObject({
    status: 200,
    body: { result: { data: { counts: { pending: 1 } } } },
  })
})

it('a server is neither healthy nor ready while PostgreSQL is unavailable, and recovers', async () => {
  const { line, probe } = await start()
  const ok = { status: 200, body: { status: 'ok', problems: [] } }
  expect([await probe('/health'), await probe('/ready')]).toMatchObject([ok, ok])
  await line.close()
  const failing = { status: 503, body: { status: 'failing', problems: ['the database cannot be read'] } }
  expect(await probe('/health')).toEqual(failing)
  expect(await probe('/ready')).toMatchObject({ status: 503, body: { status: 'failing' } })
  await line.open()
  expect(await probe('/health')).toMatchObject(ok)
  await until(async () => (await probe('/ready')).status === 200)
})
