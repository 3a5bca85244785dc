/** Batches of stock tRPC clients: one request for the calls of one tick, each with its own outcome, and without waiting. */
import { expect, it } from 'vitest'
import { limits } from '../../shared/limits.ts'
import { add, held, ids, until } from '../support/engine.ts'
import { batching, codesOf, refusedBy, splitting, streaming } from './support/client.ts'
import { claimed, counts, describeApi } from './support/world.ts'

const mail = (n: number) => ({ type: 'mail', payload: { n } })
const WAIT = { worker: 'worker-1', waitMs: 30_000 }

describeApi('a batch', ({ openServer }) => {
  it('a batch sends the calls of one tick in one request', async () => {
    const server = await openServer()
    const { client, sent } = batching(server)
    const jobs = await Promise.all([1, 2, 3].map((n) => client.enqueue.mutate(mail(n))))
    expect(sent).toEqual([{ method: 'POST', path: '/trpc/enqueue,enqueue,enqueue?batch', status: 200 }])
    const { jobs: stored } = await client.list.query({ payloads: true, sort: 'oldest' })
    expect(stored.map(({ id, payload }) => [id, payload])).toEqual(jobs.map(({ id }, n) => [id, { n: n + 1 }]))
  })

  it('a batch of queries may have a long URL', async () => {
    const server = await openServer()
    const id = await add(server.engine)
    const { client, sent } = batching(server)
    const ask = () => client.result.query({ ids: Array<string>(100).fill(id) })
    const answers = await Promise.all([ask(), ask(), ask(), ask(), ask()])
    expect(answers.map(({ notYet }) => notYet.length)).toEqual(Array(5).fill(100))
    expect(sent).toHaveLength(1)
  })

  it('an invalid call in a batch fails alone', async () => {
    const server = await openServer()
    const { client, sent } = batching(server)
    const calls = [mail(1), { ...mail(2), type: '' }, mail(3)].map((job) => client.enqueue.mutate(job))
    const [first, second, third] = await Promise.allSettled(calls)
    expect([first?.status, third?.status]).toEqual(['fulfilled', 'fulfilled'])
    expect(second?.status === 'rejected' && codesOf(second.reason)).toEqual([400, 'BAD_INPUT'])
    expect(sent.map(({ status }) => status)).toEqual([207])
    expect(await server.engine.counts()).toEqual(counts({ pending: 2 }))
  })

  it('a batch has the status of its calls when they all fail with the same one', async () => {
    const server = await openServer()
    const { client, sent } = batching(server)
    const calls = ['a', 'b'].map((id) => refusedBy(client.get.query({ id })))
    expect((await Promise.all(calls)).map(codesOf)).toEqual(Array(2).fill([400, 'BAD_INPUT']))
    expect(sent).toEqual([{ method: 'GET', path: '/trpc/get,get?batch', status: 400 }])
  })

  it('a batch with several calls does not wait', async () => {
    const server = await openServer()
    const id = await add(server.engine, { type: 'fax' })
    const { client, sent } = batching(server)
    const claim = { ...WAIT, types: ['mail'] }
    const { worker, ...wait } = claim
    const mutations = Promise.all([client.claim.mutate(claim), client.exchange.mutate({ worker, claim: wait })])
    const queries = Promise.all([client.result.query({ ids: [id], waitMs: 30_000 }), client.settings.get.query()])
    expect(await mutations).toEqual([[], { settled: [], jobs: [] }])
    expect(await queries).toEqual([{ outcomes: [], notYet: [id] }, {}])
    expect(sent).toHaveLength(2)
  })

  it('a batch with one call waits', async () => {
    const server = await openServer()
    const { client, sent } = batching(server)
    const claim = client.claim.mutate(WAIT)
    await until(() => server.engine.load.waitingClaims === 1)
    const id = await add(server.engine)
    expect(await claim).toEqual([claimed({ id })])
    expect(sent.map(({ path }) => path)).toEqual(['/trpc/claim?batch'])
  })

  it('a batch can send queries by POST', async () => {
    const server = await openServer()
    const id = await add(server.engine)
    const { client, sent } = batching(server, { methodOverride: 'POST' })
    const [page, job, settings] = await Promise.all([
      client.list.query(),
      client.get.query({ id }),
      client.settings.get.query(),
    ])
    expect([ids(page.jobs), job.id, settings]).toEqual([[id], id, {}])
    expect(sent).toEqual([{ method: 'POST', path: '/trpc/list,get,settings.get?batch', status: 200 }])
  })

  it('a batch with too many calls is refused as a whole', async () => {
    const server = await openServer()
    const { client, sent } = batching(server)
    const calls = await Promise.allSettled(Array.from({ length: 500 }, (_, n) => client.enqueue.mutate(mail(n))))
    const codes = calls.map((one) => (one.status === 'rejected' ? codesOf(one.reason) : one.value))
    expect(codes).toEqual(Array(500).fill([413, 'TOO_LARGE']))
    const [refused] = calls
    expect(refused?.status === 'rejected' && refused.reason.message).toMatch(/^500 calls in one batch.*maxItems/)
    expect(sent.map(({ status }) => status)).toEqual([413])
    expect(await server.engine.counts()).toEqual(counts({}))
  })

  it('a batch may contain a hundred calls, with plain or encoded commas', async () => {
    const server = await openServer()
    const { client, sent } = batching(server, { maxItems: limits.batchCalls })
    await Promise.all(Array.from({ length: 500 }, (_, n) => client.enqueue.mutate(mail(n))))
    expect(sent.map(({ status }) => status)).toEqual(Array(5).fill(200))
    const headers = { 'content-type': 'application/json' }
    const path = Array(limits.batchCalls + 1)
      .fill('enqueue')
      .join('%2C')
    const response = await fetch(`${server.url}/trpc/${path}?batch=1`, { method: 'POST', headers, body: '{}' })
    expect(response.status).toBe(413)
    expect((await server.engine.counts()).pending).toBe(500)
  })

  it('a batch refuses a stream to a client that cannot read it', async () => {
    const server = await openServer()
    const { client, sent } = batching(server)
    const refusal = await refusedBy(client.export.query())
    expect([codesOf(refusal), sent[0]?.status]).toEqual([[415, 'NOT_JSON'], 415])
    expect(refusal.message).toContain('httpBatchStreamLink')
  })
})

describeApi('a split client', ({ openServer }) => {
  it('a split client sends waiting calls separately and the rest in a batch', async () => {
    const server = await openServer()
    const { id, version } = await held(server.engine)
    const { client, sent } = splitting(server)
    const waiting = client.claim.mutate(WAIT)
    const exchange = client.exchange.mutate({ worker: 'worker-2', claim: { waitMs: 30_000, types: ['fax'] } })
    const [progress, logged] = await Promise.all([
      client.progress.mutate({ id, version, progress: 50 }),
      client.log.mutate({ id, version, lines: [{ line: 'half way' }] }),
    ])
    expect([progress, logged]).toEqual([undefined, undefined])
    expect(sent).toEqual([{ method: 'POST', path: '/trpc/progress,log?batch', status: 200 }])
    await until(() => server.engine.load.waitingClaims === 2)
    const [first, second] = await Promise.all([
      client.enqueue.mutate(mail(1)),
      client.enqueue.mutate({ type: 'fax', payload: {} }),
    ])
    expect(await waiting).toEqual([claimed({ id: first.id, payload: { n: 1 } })])
    const timing = { elapsedMs: expect.any(Number), now: expect.any(Number) }
    expect(await exchange).toEqual({ settled: [], jobs: [claimed({ id: second.id, type: 'fax' })], timing })
    expect(sent.map(({ path }) => path).sort()).toEqual([
      '/trpc/claim',
      '/trpc/enqueue,enqueue?batch',
      '/trpc/exchange',
      '/trpc/progress,log?batch',
    ])
  })
})

describeApi('a streaming client', ({ openServer }) => {
  it('a streaming client gets each response as soon as it is ready, so a call may wait beside others', async () => {
    const server = await openServer()
    const { client, sent } = streaming(server)
    const claim = client.claim.mutate({ ...WAIT, types: ['fax'] })
    const { id } = await client.enqueue.mutate(mail(1))
    expect([id, server.engine.load.waitingClaims]).toEqual([expect.any(String), 1])
    const late = await add(server.engine, { type: 'fax' })
    expect(await claim).toEqual([claimed({ id: late, type: 'fax' })])
    expect(sent).toEqual([{ method: 'POST', path: '/trpc/claim,enqueue?batch', status: 200 }])
  })

  it('a streaming client gets the error of one invalid call and the results of the others', async () => {
    const server = await openServer()
    const { client } = streaming(server)
    const [bad, good] = await Promise.all([
      refusedBy(client.enqueue.mutate({ type: '', payload: 1 })),
      client.enqueue.mutate(mail(1)),
    ])
    expect([codesOf(bad), good.status]).toEqual([[400, 'BAD_INPUT'], 'pending'])
  })

  it('a streaming client gets a TOO_LARGE error for a batch with too many calls', async () => {
    const server = await openServer()
    const { client } = streaming(server)
    const calls = Array.from({ length: 101 }, (_, n) => refusedBy(client.enqueue.mutate(mail(n))))
    expect((await Promise.all(calls)).map(codesOf)).toEqual(Array(101).fill([413, 'TOO_LARGE']))
    expect(await server.engine.counts()).toEqual(counts({}))
  })
})
