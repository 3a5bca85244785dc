/** Health probes, request log and shutdown of a server. */
import { connect } from 'node:net'
import { expect, it } from 'vitest'
import { add, until } from '../support/engine.ts'
import { sqlite } from '../support/places.ts'
import { call, describeServer, type TestServer } from '../support/server.ts'

async function probe(server: TestServer, path: string) {
  const response = await fetch(`${server.url}${path}`)
  return { status: response.status, body: await response.json() }
}

describeServer('health probes', (startServer) => {
  it('health probes return ok while the database can be read and maintenance runs', async () => {
    const server = await startServer()
    await until(() => server.engine.upkeepAt !== null)
    const ok = { status: 200, body: { status: 'ok', durability: 'full', problems: [] } }
    expect([await probe(server, '/health'), await probe(server, '/ready')]).toEqual([ok, ok])
  })

  it('health probes contain a lowered durability', async () => {
    const server = await startServer({ DURABILITY: 'normal' })
    expect((await probe(server, '/health')).body).toMatchObject({ durability: 'normal' })
  })

  it('health probes need no token, at the root and under the base path', async () => {
    const server = await startServer({ BASE_PATH: '/queue', AUTH_TOKEN: 'secret' })
    const root = { ...server, url: server.url.replace('/queue', '') }
    await until(() => server.engine.upkeepAt !== null)
    for (const [at, path] of [[root, '/health'] as const, [root, '/ready'] as const, [server, '/health'] as const]) {
      expect((await probe(at, path)).status).toBe(200)
    }
  })

  it('health probes return 503 when the database cannot be read', async () => {
    const server = await startServer({}, { spoilt: true })
    await server.place.sql('ALTER TABLE millrace_job_counts RENAME TO elsewhere')
    const failing = { status: 503, body: { status: 'failing', problems: ['the database cannot be read'] } }
    expect(await probe(server, '/health')).toEqual(failing)
    expect(await probe(server, '/ready')).toMatchObject({ status: 503 })
    expect(server.logged).toContainEqual(expect.objectContaining({ level: 50, msg: 'the database cannot be read' }))
    await server.place.sql('ALTER TABLE elsewhere RENAME TO millrace_job_counts')
    expect((await probe(server, '/health')).status).toBe(200)
  })

  it('health probes report not ready when writes are stuck', async () => {
    const server = await startServer()
    await until(() => server.engine.upkeepAt !== null)
    const { facts } = server.engine
    server.engine.facts = async () => ({ ...(await facts()), isStalled: true })
    expect(await probe(server, '/ready')).toMatchObject({
      status: 503,
      body: { problems: [expect.stringContaining('maintenance')] },
    })
    expect((await probe(server, '/health')).status).toBe(200)
  })
})

describeServer(
  'health probes of a full database file',
  (startServer) => {
    it('health probes report healthy but not ready when new jobs are rejected for lack of space', async () => {
      const server = await startServer({ MAX_DATABASE_BYTES: '1048576' })
      await until(() => server.engine.upkeepAt !== null)
      const payload = 'x'.repeat(20_000)
      let response = await call(server, 'enqueue', 'mutation', { type: 'mail', payload })
      for (let n = 0; n < 100 && response.status === 200; n++) {
        response = await call(server, 'enqueue', 'mutation', { type: 'mail', payload })
      }
      expect(response).toMatchObject({
        status: 507,
        body: { error: { data: { queueCode: 'DISK_FULL', httpStatus: 507 } } },
      })
      expect((await probe(server, '/health')).status).toBe(200)
      expect(await probe(server, '/ready')).toMatchObject({
        status: 503,
        body: { problems: ['the disk is full, new jobs are refused'] },
      })
    })
  },
  [sqlite],
)

describeServer('the request log', (startServer) => {
  it('the request log has one line per request, with path, status and rows', async () => {
    const server = await startServer()
    await call(server, 'enqueueMany', 'mutation', { jobs: [1, 2, 3].map((n) => ({ type: 'mail', payload: n })) })
    await call(server, 'list', 'query', { limit: 2 })
    await call(server, 'get', 'query', { id: 'nonsense' }, { 'x-request-id': 'from-the-caller' })
    const line = {
      level: 30,
      time: expect.any(String),
      requestId: expect.any(String),
      ms: expect.any(Number),
      msg: 'request',
    }
    expect(server.logged).toEqual([
      { ...line, method: 'POST', path: '/trpc/enqueueMany', status: 200, rows: 3 },
      { ...line, method: 'GET', path: '/trpc/list', status: 200, rows: 2 },
      { ...line, method: 'GET', path: '/trpc/get', status: 400, rows: 0, requestId: 'from-the-caller' },
    ])
  })

  it('the request log counts the rows of REST responses, and none for errors', async () => {
    const server = await startServer()
    const post = (body: unknown) =>
      fetch(`${server.url}/v1/messages`, {
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify(body),
      })
    await post({ body: 'one' })
    await post({ body: 7 })
    await fetch(`${server.url}/v1/messages?limit=0`)
    await fetch(`${server.url}/api/tasks/unknown`)
    expect(server.logged.map(({ status, rows }) => [status, rows])).toEqual([
      [201, 1],
      [400, 0],
      [400, 0],
      [404, 0],
    ])
  })

  it('the request log has the request id of the response, or a new one when the client sends an invalid id', async () => {
    const server = await startServer()
    const { headers } = await call(server, 'stats', 'query', {}, { 'x-request-id': 'odd "id"' })
    expect(server.logged[0]?.requestId).toBe(headers.get('x-request-id'))
    expect(headers.get('x-request-id')).toMatch(/^[0-9a-f-]{36}$/)
  })

  it('the request log contains no token, input or payload', async () => {
    const server = await startServer({ AUTH_TOKEN: 'swordfish' })
    const bearer = { authorization: 'Bearer swordfish' }
    await call(server, 'enqueue', 'mutation', { type: 'mail', payload: 'private' }, bearer)
    await call(server, 'list', 'query', { search: 'private' }, bearer)
    await call(server, 'list', 'query', { search: 'private' }, { authorization: 'Bearer sword fish' })
    expect(server.logged).toHaveLength(3)
    expect(server.logText()).not.toMatch(/swordfish|private|Bearer/)
  })

  it('the request log writes nothing below its level', async () => {
    const server = await startServer({ LOG_LEVEL: 'error' })
    await call(server, 'stats', 'query')
    expect(server.logged).toEqual([])
  })
})

describeServer('the shutdown', (startServer) => {
  it('the shutdown ends waiting claims and results with an empty result', async () => {
    const server = await startServer()
    const later = await add(server.engine, { delayMs: 60_000 })
    const claim = call(server, 'claim', 'mutation', { worker: 'w', waitMs: 30_000 })
    const result = call(server, 'result', 'query', { ids: [later], waitMs: 30_000 })
    await until(() => server.engine.load.waitingClaims === 1)
    await server.close()
    expect(await claim).toMatchObject({ status: 200, body: { result: { data: [] } } })
    expect(await result).toMatchObject({ status: 200, body: { result: { data: { outcomes: [], notYet: [later] } } } })
  })

  it('the shutdown stores everything that was acknowledged', async () => {
    const server = await startServer()
    await call(server, 'stats', 'query')
    const calls = Array.from({ length: 50 }, (_, n) =>
      call(server, 'enqueue', 'mutation', { type: 'mail', payload: n }),
    )
    await Promise.race(calls)
    await server.close()
    const responses = await Promise.allSettled(calls)
    const acknowledged = responses.filter((one) => one.status === 'fulfilled' && one.value.status === 200).length
    const [stored] = await server.place.sql('SELECT count(*) AS jobs FROM millrace_jobs')
    expect(acknowledged).toBeGreaterThan(0)
    expect(Number(stored?.jobs)).toBeGreaterThanOrEqual(acknowledged)
  })

  it('the shutdown does not wait for idle connections', async () => {
    const server = await startServer()
    const silent = connect(server.address.port, '127.0.0.1')
    await new Promise((resolve) => silent.once('connect', resolve))
    const gone = new Promise((resolve) => silent.once('close', resolve))
    await call(server, 'stats', 'query')
    await server.close()
    await gone
    await expect(fetch(`${server.url}/health`)).rejects.toThrow('fetch failed')
  })

  it('the shutdown may be called twice', async () => {
    const server = await startServer()
    await Promise.all([server.close(), server.close()])
    await server.close()
    expect(server.engine.load).toEqual({ waitingClaims: 0, queuedWrites: 0 })
  })
})
