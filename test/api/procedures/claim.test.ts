/** Claims over HTTP: waiting for jobs, ending with a disconnect, repeating by request id. */
import { expect, it } from 'vitest'
import type { ClaimedJob } from '../../../shared/job.ts'
import { add, addMany, held, ids, until } from '../../support/engine.ts'
import { call, type TestServer } from '../../support/server.ts'
import { given, ok } from '../support/responses.ts'
import { claimed, describeApi } from '../support/world.ts'

const WAIT = { worker: 'worker-1', waitMs: 30_000 }

/** A waiting call, and a function that disconnects its caller. */
async function waiting(server: TestServer, procedure: string, input: unknown) {
  const leaving = new AbortController()
  const answer = fetch(`${server.url}/trpc/${procedure}`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(input),
    signal: leaving.signal,
  }).then(
    (response) => response.json(),
    (error: Error) => error.name,
  )
  const before = server.engine.load.waitingClaims
  await until(() => server.engine.load.waitingClaims === before + 1)
  return { answer, hangUp: () => leaving.abort() }
}

/** True once the log has an aborted request. */
const broken = (server: TestServer) => server.logged.some((line) => line.aborted === true)

describeApi('claim', ({ openServer }) => {
  it('claim returns no jobs at once when the queue is empty', async () => {
    const server = await openServer()
    expect(await ok(server, 'claim', { worker: 'worker-1' })).toEqual([])
  })

  it('claim returns no jobs when waitMs is over', async () => {
    const server = await openServer()
    expect(await ok(server, 'claim', { worker: 'worker-1', waitMs: 5 })).toEqual([])
    expect(server.engine.load.waitingClaims).toBe(0)
  })

  it('a waiting claim returns when a job arrives', async () => {
    const server = await openServer()
    const { answer } = await waiting(server, 'claim', WAIT)
    const { id } = await ok<{ id: string }>(server, 'enqueue', { type: 'mail', payload: { to: 'ada' } })
    expect(await answer).toEqual({ result: { data: [claimed({ id, payload: { to: 'ada' } })] } })
  })

  it('a waiting claim returns when a paused type is resumed', async () => {
    const server = await openServer()
    const id = await add(server.engine)
    await ok(server, 'types.pause', { name: 'mail' })
    const { answer } = await waiting(server, 'claim', WAIT)
    await ok(server, 'types.resume', { name: 'mail' })
    expect(await answer).toEqual({ result: { data: [claimed({ id })] } })
  })

  it('a waiting claim ends when its caller disconnects, and the next claim gets the job', async () => {
    const server = await openServer()
    const { answer, hangUp } = await waiting(server, 'claim', WAIT)
    hangUp()
    expect(await answer).toBe('AbortError')
    await until(() => server.engine.load.waitingClaims === 0)
    const id = await add(server.engine)
    expect(await ok(server, 'claim', { worker: 'worker-2' })).toEqual([claimed({ id })])
    await until(() => broken(server))
  })

  it('a job goes to the next waiting claim when a caller has disconnected', async () => {
    const server = await openServer()
    const first = await waiting(server, 'claim', WAIT)
    const second = await waiting(server, 'claim', { ...WAIT, worker: 'worker-2' })
    first.hangUp()
    await until(() => server.engine.load.waitingClaims === 1)
    const id = await add(server.engine)
    expect(await second.answer).toEqual({ result: { data: [claimed({ id })] } })
    expect(await server.engine.get({ id })).toMatchObject({ lockedBy: 'worker-2', attempts: 1 })
  })

  it('a waiting claim returns no jobs when the server closes', async () => {
    const server = await openServer()
    const { answer } = await waiting(server, 'claim', WAIT)
    await server.close()
    expect(await answer).toEqual({ result: { data: [] } })
  })

  it('claim returns the same jobs for the same request id', async () => {
    const server = await openServer()
    const jobs = await addMany(server.engine, 3)
    const input = { worker: 'worker-1', limit: 2, requestId: 'r-1' }
    const first = await ok<ClaimedJob[]>(server, 'claim', input)
    expect(ids(first)).toEqual(jobs.slice(0, 2))
    expect(ids(await ok<ClaimedJob[]>(server, 'claim', input))).toEqual(ids(first))
    expect(await ok(server, 'get', { id: jobs[0] })).toMatchObject({ claimRequestId: 'r-1', attempts: 1 })
    expect(await server.engine.counts()).toMatchObject({ pending: 1, processing: 2 })
  })

  it('claim with settle completes its jobs at once', async () => {
    const server = await openServer()
    const id = await add(server.engine)
    expect(await ok(server, 'claim', { worker: 'worker-1', settle: true })).toEqual([claimed({ id })])
    expect(await ok(server, 'result', { ids: [id] })).toEqual({
      outcomes: [{ id, status: 'completed', result: null }],
      notYet: [],
    })
  })

  it('claim takes only the types it lists, with the requested lease', async () => {
    const server = await openServer()
    await add(server.engine, { type: 'mail' })
    const id = await add(server.engine, { type: 'fax' })
    const input = { worker: 'worker-1', types: ['fax', 'sms'], limit: 100, leaseMs: 90_000 }
    const [job, ...more] = await ok<ClaimedJob[]>(server, 'claim', input)
    expect([job, more]).toEqual([claimed({ id, type: 'fax' }), []])
    expect((job?.leaseUntil ?? 0) - (job?.startedAt ?? 0)).toBe(90_000)
  })
})

describeApi('exchange', ({ openServer }) => {
  it('a waiting exchange keeps its settles when its caller disconnects', async () => {
    const server = await openServer()
    const { id, version } = await held(server.engine)
    const settle = [{ kind: 'complete', id, version, result: 'sent' }]
    const { hangUp } = await waiting(server, 'exchange', { worker: 'worker-1', settle, claim: { waitMs: 30_000 } })
    hangUp()
    await until(() => server.engine.load.waitingClaims === 0)
    expect(await server.engine.get({ id })).toMatchObject({ status: 'completed', result: 'sent' })
  })

  it('a waiting exchange returns its settles and the new job', async () => {
    const server = await openServer()
    const { id, version } = await held(server.engine)
    const settle = [{ kind: 'release', id, version, delayMs: 60_000 }]
    const { answer } = await waiting(server, 'exchange', { worker: 'worker-1', settle, claim: { waitMs: 30_000 } })
    const next = await add(server.engine, { type: 'fax' })
    expect(await answer).toEqual({
      result: {
        data: {
          settled: [
            { ok: true, value: { id, version, status: 'scheduled', runAt: expect.any(Number), repeated: false } },
          ],
          jobs: [claimed({ id: next, type: 'fax' })],
          timing: { elapsedMs: expect.any(Number), now: expect.any(Number) },
        },
      },
    })
  })
})

describeApi('result', ({ openServer }) => {
  it('result waits until one of the jobs has ended', async () => {
    const server = await openServer()
    const { id, version } = await held(server.engine)
    const other = await add(server.engine)
    const answer = call(server, 'result', 'query', { ids: [id, other], waitMs: 30_000 })
    await ok(server, 'complete', { id, version, result: { pages: 3 } })
    expect(given(await answer)).toEqual({
      outcomes: [{ id, status: 'completed', result: { pages: 3 } }],
      notYet: [other],
    })
  })

  it('result stops waiting when its caller disconnects', async () => {
    const server = await openServer()
    const id = await add(server.engine)
    const { parsed } = server.engine
    const { result } = parsed
    let signal: AbortSignal | undefined
    const watched: typeof result = (params, context) => {
      signal = context?.signal
      return result(params, context)
    }
    Object.assign(parsed, { result: watched })
    const leaving = new AbortController()
    const query = encodeURIComponent(JSON.stringify({ ids: [id], waitMs: 30_000 }))
    const answer = fetch(`${server.url}/trpc/result?input=${query}`, { signal: leaving.signal }).catch(
      ({ name }) => name,
    )
    await until(() => signal !== undefined)
    leaving.abort()
    expect(await answer).toBe('AbortError')
    await until(() => signal?.aborted === true)
  })
})
