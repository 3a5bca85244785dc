/** REST adapter of /api/queue: every response, with exact texts. */
import { expect, it } from 'vitest'
import { JSON_QUEUE_WORKER } from '../../shared/sources.ts'
import type { TestServer } from '../support/server.ts'
import { describeRest, outcome, send } from './send.ts'

const UNKNOWN = '018f6f0e-0000-7000-8000-00000000dead'
const GONE = [404, { error: 'Job not found or not active' }]
const DONE = [200, { success: true }]
const counts = async ({ engine }: TestServer) => engine.counts()

interface Claimed {
  readonly id: string
  readonly version: number
}

async function post(server: TestServer, type: string, data: unknown): Promise<string> {
  const { status, body } = await send(server, 'POST /api/queue', { type, data })
  const { id } = body as { id: string }
  expect([status, body]).toEqual([201, { id, status: 'waiting' }])
  return id
}

async function take(server: TestServer, query = ''): Promise<Claimed> {
  return (await send(server, `GET /api/queue${query}`)).body as Claimed
}

describeRest('/api/queue', (startServer) => {
  it('/api/queue adds jobs, returns them in order and records their outcomes', async () => {
    const server = await startServer()
    const ids = [await post(server, 'image', { url: 'x' }), await post(server, 'mail', null)]
    expect(await outcome(server, 'GET /api/queue')).toEqual([
      200,
      { id: ids[0], type: 'image', data: { url: 'x' }, version: 1, attempt: 1 },
    ])
    expect((await server.engine.get({ id: ids[0] ?? '' })).maxAttempts).toBe(2)
    expect(await outcome(server, 'GET /api/queue')).toEqual([
      200,
      { id: ids[1], type: 'mail', data: null, version: 1, attempt: 1 },
    ])
    const empty = await send(server, 'GET /api/queue')
    expect([empty.status, empty.body, empty.headers.get('cache-control')]).toEqual([204, undefined, 'no-store'])
    const result = { processed: true }
    expect(await outcome(server, `PUT /api/queue/${ids[0]}`, { status: 'completed', result })).toEqual(DONE)
    expect(await outcome(server, `PUT /api/queue/${ids[1]}`, { status: 'failed', error: 'no' })).toEqual(DONE)
    const [first, second] = await Promise.all(ids.map((id) => server.engine.get({ id })))
    expect(first).toMatchObject({ status: 'completed', result, face: 'json-queue' })
    expect(second).toMatchObject({ status: 'failed', error: 'no', attempts: 1 })
  })

  it('/api/queue filters by type and never returns messages or commands', async () => {
    const server = await startServer()
    const { engine } = server
    await engine.enqueue({ type: 'news', payload: 'text', kind: 'message' })
    await engine.enqueue({ type: 'shell', payload: 'echo', kind: 'command' })
    await post(server, 'image', 1)
    const id = await post(server, 'mail', 2)
    for (const query of ['?type=news', '?type=shell', '?type=unknown']) {
      expect(await outcome(server, `GET /api/queue${query}`)).toEqual([204, undefined])
    }
    expect(await take(server, '?type=mail')).toMatchObject({ id, type: 'mail' })
    expect(await take(server)).toMatchObject({ type: 'image' })
    expect((await send(server, 'GET /api/queue')).status).toBe(204)
    expect(await counts(server)).toMatchObject({ pending: 2, processing: 2 })
  })

  it('/api/queue uses the timeout of the type as lease, else JOB_TIMEOUT_MINUTES', async () => {
    const server = await startServer({ JOB_TIMEOUT_MINUTES: '7' })
    await server.engine.declareTypes({ types: [{ name: 'short', settings: { timeoutMs: 5_000 } }] })
    await post(server, 'short', 1)
    await post(server, 'plain', 1)
    const leases = []
    for (const query of ['?type=short', '?type=plain']) {
      const { startedAt, leaseUntil } = await server.engine.get(pick(await take(server, query)))
      leases.push((leaseUntil ?? 0) - (startedAt ?? 0))
    }
    expect(leases).toEqual([5_000, 7 * 60_000])
  })

  it('/api/queue settles each claim once, and no claim of another worker', async () => {
    const server = await startServer()
    const { engine } = server
    await post(server, 'a', 1)
    const { id, version } = await take(server)
    const put = (body: unknown, at = id) => outcome(server, `PUT /api/queue/${at}`, body)
    const completed = { status: 'completed' }
    expect(await put({ ...completed, version: version + 1 })).toEqual(GONE)
    expect(await put({ status: 'failed', version: version + 1 })).toEqual(GONE)
    expect((await engine.get({ id })).status).toBe('processing')
    expect(await put({ ...completed, version, result: [1] })).toEqual(DONE)
    expect([await put({ ...completed, version, result: [1] }), await put(completed)]).toEqual([GONE, GONE])
    for (const at of [UNKNOWN, 'JOB_ID', '%zz', '%00', id.toUpperCase(), 'x'.repeat(5_000)]) {
      expect([await put(completed, at), await put({ ...completed, version: 1 }, at)]).toEqual([GONE, GONE])
    }
    // A claim of another worker, on the same job.
    const other = await post(server, 'b', 1)
    expect(await put(completed, other)).toEqual(GONE)
    const [held] = await engine.claim({ worker: 'other-worker' })
    expect(held?.id).toBe(other)
    expect([await put(completed, other), await put({ status: 'failed' }, other)]).toEqual([GONE, GONE])
    expect(await engine.get({ id: other })).toMatchObject({ status: 'processing', lockedBy: 'other-worker' })
    expect(await put({ ...completed, version: held?.version }, other)).toEqual(DONE)
  })

  it('/api/queue fails a job without a retry, with Unknown error as the default', async () => {
    const server = await startServer()
    const outcomes = []
    for (const more of [{}, { error: '' }, { error: 7 }, { error: null }, { error: 'Something went wrong' }]) {
      const id = await post(server, 'a', 1)
      await take(server)
      expect(await outcome(server, `PUT /api/queue/${id}`, { status: 'failed', ...more })).toEqual(DONE)
      const { status, error } = await server.engine.get({ id })
      outcomes.push([status, error])
    }
    expect(outcomes).toEqual([...Array(4).fill(['failed', 'Unknown error']), ['failed', 'Something went wrong']])
  })

  it('/api/queue rejects invalid jobs with the texts of its specification and stores nothing', async () => {
    const server = await startServer({ MAX_PAYLOAD_BYTES: '20' })
    const error400 = (error: string, status = 400) => [status, { error }]
    const long = 'x'.repeat(101)
    const cases: readonly [body: unknown, expected: unknown][] = [
      ['', error400('Invalid JSON')],
      ['{"type":', error400('Invalid JSON')],
      ['null', error400('Request body must be an object')],
      ['7', error400('Request body must be an object')],
      ['"text"', error400('Request body must be an object')],
      ['false', error400('Request body must be an object')],
      ['[]', error400('type must be a non-empty string')],
      [{}, error400('type must be a non-empty string')],
      [{ type: '', data: 1 }, error400('type must be a non-empty string')],
      [{ type: 7, data: 1 }, error400('type must be a non-empty string')],
      [{ type: long, data: 1 }, error400('type must be 100 characters or less')],
      [{ type: 'a' }, error400('data is required')],
      [{ type: 'a', data: 'x'.repeat(19) }, error400('data exceeds 20 bytes')],
      // Bytes, not characters: ten of them are 22 bytes with the quotes.
      [{ type: 'a', data: 'ä'.repeat(10) }, error400('data exceeds 20 bytes')],
    ]
    for (const [body, expected] of cases) {
      expect([body, await outcome(server, 'POST /api/queue', body)]).toEqual([body, expected])
    }
    expect((await send(server, 'POST /api/queue', { type: 'a\nb', data: 1 })).status).toBe(400)
    expect(await outcome(server, 'GET /api/queue?type=')).toEqual(error400('type must be a non-empty string'))
    expect(await outcome(server, `GET /api/queue?type=${long}`)).toEqual(
      error400('type must be 100 characters or less'),
    )
    expect(await outcome(server, 'GET /api/queue?type=a&type=b')).toEqual(
      error400('type is there 2 times; send it once.'),
    )
    const none = Object.fromEntries(Object.keys(await counts(server)).map((status) => [status, 0]))
    expect(await counts(server)).toEqual(none)
    expect(await server.engine.types()).toEqual([])
    await post(server, 'x'.repeat(100), 'ä'.repeat(9))
  })

  it('/api/queue rejects an invalid outcome and leaves the job claimed', async () => {
    const server = await startServer({ MAX_PAYLOAD_BYTES: '20' })
    const id = await post(server, 'a', 1)
    await take(server)
    const error400 = (error: string) => [400, { error }]
    const cases: readonly [unknown, unknown][] = [
      ['{', error400('Invalid JSON')],
      ['null', error400('Request body must be an object')],
      ['[]', error400('status must be "completed" or "failed"')],
      [{}, error400('status must be "completed" or "failed"')],
      [{ status: 'done' }, error400('status must be "completed" or "failed"')],
      [{ status: 'failed', version: 0 }, error400('version must be the number that came with the job')],
      [{ status: 'failed', version: '1' }, error400('version must be the number that came with the job')],
    ]
    for (const [body, expected] of cases) {
      expect([body, await outcome(server, `PUT /api/queue/${id}`, body)]).toEqual([body, expected])
    }
    const large = await send(server, `PUT /api/queue/${id}`, { status: 'completed', result: 'x'.repeat(30) })
    expect(large.status).toBe(413)
    expect(await server.engine.get({ id })).toMatchObject({ status: 'processing', lockedBy: JSON_QUEUE_WORKER })
  })

  it('/api/queue lists its methods in Allow, and claims nothing by HEAD', async () => {
    const server = await startServer()
    await post(server, 'a', 1)
    const allowed: Record<string, unknown> = {}
    for (const request of ['PUT /api/queue', 'DELETE /api/queue', 'OPTIONS /api/queue', `GET /api/queue/${UNKNOWN}`]) {
      const { status, headers, body } = await send(server, request)
      allowed[request] = [status, headers.get('allow'), typeof (body as { error: unknown }).error]
    }
    expect(allowed).toEqual({
      'PUT /api/queue': [405, 'GET, POST', 'string'],
      'DELETE /api/queue': [405, 'GET, POST', 'string'],
      'OPTIONS /api/queue': [405, 'GET, POST', 'string'],
      [`GET /api/queue/${UNKNOWN}`]: [405, 'PUT', 'string'],
    })
    expect((await send(server, 'HEAD /api/queue')).status).toBe(405)
    expect((await send(server, 'GET /api/queue/a/b')).status).toBe(404)
    expect((await send(server, 'GET /api')).status).toBe(404)
    expect(await counts(server)).toMatchObject({ pending: 1, processing: 0 })
  })
})

describeRest('/dashboard', (startServer) => {
  it('/dashboard redirects to the dashboard below the base path', async () => {
    const server = await startServer({ BASE_PATH: '/queue' })
    const { status, headers } = await fetch(`${server.url}/dashboard`, { redirect: 'manual' })
    expect([status, headers.get('location')]).toEqual([302, '/queue/'])
    expect(await outcome(server, 'GET /api/queue')).toEqual([204, undefined])
  })
})

function pick({ id }: Claimed): { id: string } {
  return { id }
}
