/** Internal errors, overload and full disks: errors name the remedy and reveal no internals. */
import { Agent, type IncomingMessage, request } from 'node:http'
import { expect, it, onTestFinished } from 'vitest'
import { limits } from '../../../shared/limits.ts'
import { held, until } from '../../support/engine.ts'
import { postgres, sqlite } from '../../support/places.ts'
import { call, type TestServer } from '../../support/server.ts'
import { batching, codesOf } from '../support/client.ts'
import { ask, ok, refusalOf, refused, refusedWith } from '../support/responses.ts'
import { counts, describeApi, MISSING } from '../support/world.ts'

/** One POST on a connection that stays open for the next. */
function post(server: TestServer, agent: Agent, body: string) {
  return new Promise<{ status: number | undefined; body: unknown; reused: boolean }>((resolve, reject) => {
    const headers = { 'content-type': 'application/json', 'content-length': Buffer.byteLength(body) }
    const sending = request(`${server.url}/trpc/enqueue`, { method: 'POST', agent, headers })
    sending.once('error', reject)
    sending.once('response', async (response: IncomingMessage) => {
      let text = ''
      for await (const part of response) text += part
      resolve({ status: response.statusCode, body: JSON.parse(text), reused: sending.reusedSocket })
    })
    sending.end(body)
  })
}

describeApi('an unexpected failure', ({ openServer }) => {
  it('an unexpected error responds with INTERNAL and is logged with its details', async () => {
    const server = await openServer()
    Object.assign(server.engine.parsed, { stats: () => Promise.reject(new Error('secret detail')) })
    const answer = await ask(server, 'stats')
    expect([answer.status, refusalOf(answer)]).toEqual([
      500,
      { status: 500, code: 'INTERNAL', message: expect.stringContaining('log'), details: {}, path: 'stats' },
    ])
    expect(JSON.stringify(answer.body)).not.toContain('secret detail')
    const line = { msg: 'a call failed', path: 'stats', actor: 'local', level: 50 }
    const err = { message: 'secret detail', stack: expect.stringContaining('errors.test') }
    expect(server.logged).toContainEqual(expect.objectContaining({ ...line, err: expect.objectContaining(err) }))
  })

  it.each([['a text'], [undefined], [{ message: 'secret detail', code: 'NOT_FOUND' }]])(
    'an unexpected error responds with INTERNAL even when %j is thrown',
    async (thrown) => {
      const server = await openServer()
      Object.assign(server.engine.parsed, { get: () => Promise.reject(thrown) })
      const refusal = await refused(server, 'get', { id: MISSING })
      expect([refusal.status, refusal.code]).toEqual([500, 'INTERNAL'])
      expect(refusal.message).not.toMatch(/a text|secret/)
    },
  )

  it('a database error responds without its message, in a single call and in an exchange', async () => {
    const server = await openServer({}, { spoilt: true })
    const job = await held(server.engine)
    await server.place.refuseUpdates('millrace_jobs', 'column secret_column')
    const { id, version } = job
    const alone = await ask(server, 'complete', { id, version })
    expect(refusalOf(alone)).toMatchObject({ status: 500, code: 'STORE_FAILED' })
    const among = await ask(server, 'exchange', { worker: 'w', settle: [{ kind: 'fail', id, version, error: 'x' }] })
    expect(among.body).toMatchObject({
      result: { data: { settled: [{ ok: false, error: { code: 'STORE_FAILED' } }] } },
    })
    expect(JSON.stringify([alone.body, among.body])).not.toContain('secret_column')
    const lines = server.logged.filter(({ msg }) => msg === 'a call failed')
    expect(lines.map(({ err }) => JSON.stringify(err).includes('secret_column'))).toEqual([true, true])
  })

  it('an unexpected error does not affect other calls of its batch', async () => {
    const server = await openServer()
    Object.assign(server.engine.parsed, { stats: () => Promise.reject(new Error('secret detail')) })
    const { client, sent } = batching(server)
    const [failed, fine] = await Promise.allSettled([client.stats.query(), client.settings.get.query()])
    expect(failed.status === 'rejected' && codesOf(failed.reason)).toEqual([500, 'INTERNAL'])
    expect([fine, sent[0]?.status]).toEqual([{ status: 'fulfilled', value: {} }, 207])
  })

  it('errors caused by the caller are not logged as errors', async () => {
    // Low durability on PostgreSQL would add a log line.
    const server = await openServer({ DURABILITY: 'full' })
    await refused(server, 'get', { id: MISSING })
    await refused(server, 'get', { id: 'seven' })
    await until(() => server.logged.filter(({ msg }) => msg === 'request').length === 2)
    expect(server.logged.filter(({ level }) => level !== 30)).toEqual([])
    expect(server.logText()).not.toContain(MISSING)
  })
})

describeApi('a request that is too large', ({ openServer }) => {
  it('a request that is too large gets a TOO_LARGE error, and its connection stays open', async () => {
    const server = await openServer()
    const agent = new Agent({ keepAlive: true, maxSockets: 1 })
    onTestFinished(() => agent.destroy())
    const small = JSON.stringify({ type: 'mail', payload: 1 })
    expect(await post(server, agent, small)).toMatchObject({ status: 200, reused: false })
    const large = await post(server, agent, JSON.stringify({ type: 'mail', payload: 'x'.repeat(9 * 1_048_576) }))
    const refusal = refusalOf(large)
    expect([large.status, large.reused, refusal.code]).toEqual([413, true, 'TOO_LARGE'])
    expect(refusal.message).toContain(`more than ${limits.bodyBytes}`)
    expect(await post(server, agent, small)).toMatchObject({ status: 200, reused: true })
    expect(await server.engine.counts()).toEqual(counts({ pending: 2 }))
  })

  it('a request by fetch that is too large gets a TOO_LARGE error', async () => {
    const server = await openServer()
    const answer = await call(server, 'enqueue', 'mutation', { type: 'mail', payload: 'x'.repeat(9 * 1_048_576) })
    expect([answer.status, refusalOf(answer).code]).toEqual([413, 'TOO_LARGE'])
    expect(await ok(server, 'enqueue', { type: 'mail', payload: 1 })).toMatchObject({ status: 'pending' })
  })
})

describeApi('an overloaded server', ({ openServer }) => {
  it('an overloaded server refuses new jobs with BUSY, stores none of them and accepts settles', async () => {
    const server = await openServer()
    const { id, version } = await held(server.engine)
    const letGo = await server.place.hold()
    const settle = Array.from({ length: limits.settle }, () => ({ kind: 'release', id: MISSING, version: 1 }))
    // More than 10,000, because some are already in the blocked commit and not queued.
    const waiting = Array.from({ length: 110 }, () => ok(server, 'exchange', { worker: 'worker-1', settle }))
    await until(() => server.engine.load.queuedWrites >= 10_000)
    expect(await refused(server, 'enqueue', { type: 'mail', payload: 1 })).toMatchObject({
      status: 503,
      code: 'BUSY',
      message: expect.stringContaining('try again'),
    })
    const finishing = ok(server, 'complete', { id, version })
    await letGo()
    expect(await finishing).toMatchObject({ status: 'completed' })
    expect(await Promise.all(waiting)).toHaveLength(110)
    expect(await server.engine.counts()).toEqual(counts({ completed: 1 }))
  })
})

describeApi(
  'a database file at its size limit',
  ({ openServer }) => {
    it('a full database refuses new jobs, and running jobs can be completed', async () => {
      const server = await openServer({ MAX_DATABASE_BYTES: '1048576' })
      const { id, version } = await held(server.engine)
      const fill = () => ask(server, 'enqueue', { type: 'mail', payload: 'x'.repeat(20_000) })
      let answer = await fill()
      for (let n = 0; answer.status === 200 && n < 100; n++) answer = await fill()
      expect([answer.status, refusalOf(answer).code]).toEqual([507, 'DISK_FULL'])
      expect(await refusedWith(server, 'enqueue', { type: 'mail', payload: 1 })).toEqual([507, 'DISK_FULL'])
      expect(await ok(server, 'facts')).toMatchObject({ isFull: true })
      expect(await ok(server, 'complete', { id, version })).toMatchObject({ status: 'completed' })
    })
  },
  [sqlite],
)

describeApi(
  'a database whose disk is full',
  ({ openServer }) => {
    it('a full disk refuses new jobs, and running jobs can be completed', async () => {
      const server = await openServer({}, { spoilt: true })
      const { id, version } = await held(server.engine)
      // The error of PostgreSQL for a full disk; writes that need no space still work.
      await server.place.sql(`CREATE FUNCTION fill() RETURNS trigger LANGUAGE plpgsql
        AS $$ BEGIN RAISE EXCEPTION 'could not extend file' USING ERRCODE = 'disk_full'; END $$`)
      await server.place.sql(
        'CREATE TRIGGER filling BEFORE INSERT ON millrace_job_bodies FOR EACH ROW EXECUTE FUNCTION fill()',
      )
      expect(await refusedWith(server, 'enqueue', { type: 'mail', payload: 1 })).toEqual([507, 'DISK_FULL'])
      expect(await ok(server, 'facts')).toMatchObject({ isFull: true })
      expect(await (await fetch(`${server.url}/ready`)).json()).toMatchObject({
        problems: expect.arrayContaining(['the disk is full, new jobs are refused']),
      })
      expect(await ok(server, 'complete', { id, version })).toMatchObject({ status: 'completed' })
      await server.place.sql('DROP TRIGGER filling ON millrace_job_bodies')
      expect(await ok(server, 'enqueue', { type: 'mail', payload: 1 })).toMatchObject({ status: 'pending' })
      expect(await ok(server, 'facts')).toMatchObject({ isFull: false })
    })

    it('a full disk refuses settles that need space with DISK_FULL, so that workers retry', async () => {
      const server = await openServer({}, { spoilt: true })
      const { id, version } = await held(server.engine)
      await server.place.sql(`CREATE FUNCTION fill() RETURNS trigger LANGUAGE plpgsql
        AS $$ BEGIN RAISE EXCEPTION 'could not extend file' USING ERRCODE = 'disk_full'; END $$`)
      await server.place.sql(
        'CREATE TRIGGER filling BEFORE UPDATE ON millrace_jobs FOR EACH ROW EXECUTE FUNCTION fill()',
      )
      expect(await refusedWith(server, 'complete', { id, version })).toEqual([507, 'DISK_FULL'])
      await server.place.sql('DROP TRIGGER filling ON millrace_jobs')
      expect(await ok(server, 'complete', { id, version })).toMatchObject({ status: 'completed' })
    })
  },
  [postgres],
)
