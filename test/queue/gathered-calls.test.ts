/** Gathering of calls into requests: what shares a request, its limits, and the calls of a request that fail alone. */
import { getEventListeners } from 'node:events'
import { describe, expect, it, onTestFinished, vi } from 'vitest'
import { openServerQueue } from '../../server/sdk/node-http/server-queue.ts'
import { openRemoteQueue } from '../../server/sdk/remote/remote-queue.ts'
import { limits } from '../../shared/limits.ts'
import type { Queue } from '../../shared/queue.ts'
import { refused } from '../support/engine.ts'
import { type HeldServer, heldServer } from './support/held-server.ts'

const lease = { id: '018f6f0e-0000-7000-8000-00000000dead', version: 1 }
const enqueue = (queue: Queue, payload: unknown) => queue.enqueue({ type: 'mail', payload })
const nextTurn = () => new Promise((resolve) => setImmediate(resolve))

/** Timers that expire only when the test advances them. */
function freezeTimers(): void {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] })
  onTestFinished(() => void vi.useRealTimers())
}

/** A lane with two requests in flight, and their calls. */
async function fullLane(queue: Queue, server: HeldServer) {
  const calls = [enqueue(queue, 'first')]
  const first = await server.next()
  calls.push(enqueue(queue, 'second'))
  const second = await server.next()
  return { calls, first, second }
}

describe.each([
  ['node:http', openServerQueue],
  ['fetch', openRemoteQueue],
])('a remote queue with %s', (_, open) => {
  it('sends the calls of one turn as one request, and gives each its own outcome', async () => {
    const server = await heldServer()
    const queue = open({ url: server.url, token: 'secret' })
    const calls = [enqueue(queue, 1), queue.pause(), queue.complete({ ...lease, result: 2 }), enqueue(queue, 3)]
    const request = await server.next()
    request.respond()
    expect(await Promise.all(calls)).toMatchObject([
      { verb: 'enqueue', index: 0 },
      { verb: 'pause', index: 1 },
      { verb: 'complete', index: 2 },
      { verb: 'enqueue', index: 3 },
    ])
    expect([request.headers.authorization, JSON.parse(request.body)]).toEqual([
      'Bearer secret',
      {
        ops: [
          { verb: 'enqueue', input: { type: 'mail', payload: 1 } },
          { verb: 'pause' },
          { verb: 'complete', input: { ...lease, result: 2 } },
          { verb: 'enqueue', input: { type: 'mail', payload: 3 } },
        ],
      },
    ])
  })

  it('sends a lone call to its own procedure', async () => {
    const server = await heldServer()
    const call = enqueue(open({ url: server.url }), 1)
    const request = await server.next()
    request.respond()
    expect([await call, request.body]).toEqual([{ path: 'enqueue' }, '{"type":"mail","payload":1}'])
  })

  it('gathers calls while two requests are in flight, and sends them with the first response', async () => {
    freezeTimers()
    const server = await heldServer()
    const queue = open({ url: server.url })
    const { calls, first, second } = await fullLane(queue, server)
    calls.push(enqueue(queue, 'third'))
    await nextTurn()
    calls.push(enqueue(queue, 'fourth'), enqueue(queue, 'fifth'))
    // Its request leaves after the turn in which the others would have left.
    const waiting = queue.claim({ worker: 'w', waitMs: 1_000 })
    const waitingRequest = await server.next()
    expect(server.requests.map(({ path }) => path)).toEqual(['enqueue', 'enqueue', 'claim'])
    first.respond()
    const third = await server.next()
    expect(third.ops.map(({ input }) => input)).toMatchObject([
      { payload: 'third' },
      { payload: 'fourth' },
      { payload: 'fifth' },
    ])
    for (const request of [second, third]) request.respond()
    waitingRequest.respond([])
    await Promise.all([...calls, waiting])
    expect(server.requests).toHaveLength(4)
  })

  it('sends more requests when those in flight have no response for 250 ms', async () => {
    freezeTimers()
    const server = await heldServer()
    const queue = open({ url: server.url })
    const { calls, first, second } = await fullLane(queue, server)
    calls.push(enqueue(queue, 'third'))
    await nextTurn()
    vi.advanceTimersByTime(249)
    const waiting = queue.claim({ worker: 'w', waitMs: 1_000 })
    expect((await server.next()).path).toBe('claim')
    vi.advanceTimersByTime(1)
    const third = await server.next()
    expect(third.body).toContain('third')
    for (const request of [first, second, third]) request.respond()
    server.requests[2]?.respond([])
    await Promise.all([...calls, waiting])
  })

  it('sends waiting calls and backups alone, and long reads apart from writes', async () => {
    const server = await heldServer()
    const queue = open({ url: server.url })
    const exchange = { worker: 'w', settle: [{ ...lease, kind: 'complete' as const }], claim: { waitMs: 5 } }
    const calls = [
      enqueue(queue, 1),
      queue.claim({ worker: 'w', waitMs: 1 }),
      queue.list({}),
      queue.exchange(exchange),
      queue.result({ ids: [lease.id], waitMs: 1 }),
      queue.cancellations({ worker: 'w', leases: [lease], waitMs: 1 }),
      queue.backup(),
      queue.claim({ worker: 'w', waitMs: 0 }),
      queue.stats(),
    ]
    const paths = []
    for (let i = 0; i < 7; i++) {
      const request = await server.next()
      paths.push(request.path === 'batch' ? request.ops.map(({ verb }) => verb).join() : request.path)
      request.respond(request.path === 'exchange' ? { settled: [], jobs: [] } : undefined)
    }
    await Promise.all(calls)
    expect(paths.sort()).toEqual(
      ['backup', 'cancellations', 'claim', 'enqueue,claim', 'exchange', 'list,stats', 'result'].sort(),
    )
  })

  it('sends at most limits.batchOps calls in a request, in order', async () => {
    const server = await heldServer()
    server.onRequest = (request) => request.respond()
    const queue = open({ url: server.url })
    const count = 2 * limits.batchOps + 3
    const results = await Promise.all(Array.from({ length: count }, (_, payload) => enqueue(queue, payload)))
    expect(server.requests.map(({ ops }) => ops.length)).toEqual([limits.batchOps, limits.batchOps, 3])
    expect(results).toMatchObject(Array.from({ length: count }, (_, payload) => ({ input: { payload } })))
  })

  it('sends at most 262,144 characters in a request of several calls, and a larger call alone', async () => {
    const server = await heldServer()
    server.onRequest = (request) => request.respond()
    const queue = open({ url: server.url })
    const sizes = [100_000, 100_000, 100_000, 300_000, 1, 2]
    await Promise.all(sizes.map((size) => enqueue(queue, 'ä'.repeat(size))))
    const sent = server.requests.map(({ path, ops }) => (path === 'batch' ? ops.length : path))
    // Requests of two connections arrive in any order.
    expect(sent.map(String).sort()).toEqual(['2', '2', 'enqueue', 'enqueue'])
    const bytes = server.requests.map(({ ops, body }) => (ops.length > 1 ? Buffer.byteLength(body) : 0))
    expect(Math.max(...bytes)).toBeLessThan(1024 * 1024)
  })

  it('rejects an aborted call at once, and completes the other calls of its request', async () => {
    const server = await heldServer()
    const queue = open({ url: server.url })
    const abort = new AbortController()
    const claim = queue.claim({ worker: 'w' }, { signal: abort.signal })
    const exchange = queue.exchange({ worker: 'w', claim: {} }, { signal: abort.signal })
    const other = enqueue(queue, 1)
    const request = await server.next()
    abort.abort(new Error('no longer needed'))
    expect(await claim).toEqual([])
    expect(await refused(exchange)).toMatchObject({ code: 'UNREACHABLE' })
    request.respond()
    expect(await other).toMatchObject({ verb: 'enqueue', index: 2 })
    // The connection was not closed by the aborted calls.
    await Promise.all([enqueue(queue, 2), server.next().then((next) => next.respond())])
    expect(server.connections).toBe(1)
  })

  it('closes the connection when all calls of a request were aborted', async () => {
    const server = await heldServer()
    const queue = open({ url: server.url })
    const aborts = [new AbortController(), new AbortController()]
    const calls = aborts.map(({ signal }) => queue.claim({ worker: 'w' }, { signal }))
    const request = await server.next()
    for (const abort of aborts) abort.abort()
    await request.closed
    expect(await Promise.all(calls)).toEqual([[], []])
  })

  it('does not send a call that was aborted before its request', async () => {
    freezeTimers()
    const server = await heldServer()
    const queue = open({ url: server.url })
    const { calls, first, second } = await fullLane(queue, server)
    const abort = new AbortController()
    const aborted = queue.claim({ worker: 'w' }, { signal: abort.signal })
    calls.push(enqueue(queue, 'third'))
    await nextTurn()
    abort.abort()
    expect(await aborted).toEqual([])
    first.respond()
    const third = await server.next()
    expect([third.path, third.body]).toEqual(['enqueue', expect.stringContaining('third')])
    for (const request of [second, third]) request.respond()
    await Promise.all(calls)
  })

  it('rejects only the calls of a request whose connection is cut, and does not repeat them', async () => {
    const server = await heldServer()
    const queue = open({ url: server.url })
    const cut = [enqueue(queue, 1), enqueue(queue, 2)].map(refused)
    const first = await server.next()
    const kept = enqueue(queue, 3)
    const second = await server.next()
    first.socket.destroy()
    expect(await Promise.all(cut)).toMatchObject([{ code: 'UNREACHABLE' }, { code: 'UNREACHABLE' }])
    second.respond()
    await kept
    const later = enqueue(queue, 4)
    ;(await server.next()).respond()
    await later
    expect(server.requests.map(({ ops }) => ops.length)).toEqual([2, 0, 0])
  })

  it('repeats a request that was refused as a whole in halves, so that only the bad call fails', async () => {
    const server = await heldServer()
    server.onRequest = (request) => (request.body.includes('bad') ? request.refuse('BAD_INPUT') : request.respond())
    const queue = open({ url: server.url })
    const payloads = ['a', 'b', 'bad', 'c', 'd']
    const outcomes = await Promise.allSettled(payloads.map((payload) => enqueue(queue, payload)))
    expect(outcomes.map(({ status }) => status)).toEqual(
      payloads.map((text) => (text === 'bad' ? 'rejected' : 'fulfilled')),
    )
    expect(outcomes[2]).toMatchObject({ reason: { code: 'BAD_INPUT' } })
    expect(server.requests.filter(({ body }) => body.includes('"a"'))).toHaveLength(2)
  })

  it('rejects all calls of a request that was refused for another reason with its error, once', async () => {
    const server = await heldServer()
    server.onRequest = (request) => request.refuse('UNAUTHORIZED')
    const queue = open({ url: server.url })
    const errors = await Promise.all([enqueue(queue, 1), enqueue(queue, 2)].map(refused))
    expect(errors).toMatchObject([{ code: 'UNAUTHORIZED' }, { code: 'UNAUTHORIZED' }])
    expect(server.requests).toHaveLength(1)
  })

  it.each([
    ['no outcomes', null],
    ['too few outcomes', { outcomes: [{ ok: true, value: 1 }] }],
    ['an outcome without a code', { outcomes: Array(2).fill({ ok: false, error: { message: 'odd' } }) }],
  ])('rejects a batch with %s as not from Millrace', async (__, result) => {
    const server = await heldServer()
    server.onRequest = (request) => request.respond(result)
    const queue = open({ url: server.url })
    for (const error of await Promise.all([enqueue(queue, 1), enqueue(queue, 2)].map(refused))) {
      expect(error).toMatchObject({ code: 'UNREACHABLE', message: expect.stringContaining('it is not Millrace') })
    }
  })

  it('rejects a frequent call after headersMs, and leaves the other calls of its request their full time', async () => {
    freezeTimers()
    const server = await heldServer()
    const queue = open({ url: server.url }, { headersMs: 100, totalMs: 1_000 })
    const heartbeat = refused(queue.heartbeat({ worker: 'w', leases: [] }))
    const other = enqueue(queue, 1)
    const request = await server.next()
    vi.advanceTimersByTime(100)
    expect(await heartbeat).toMatchObject({ code: 'UNREACHABLE', message: expect.stringContaining('within 100 ms') })
    const late = refused(enqueue(queue, 2))
    await server.next()
    request.respond()
    expect(await other).toMatchObject({ verb: 'enqueue', index: 1 })
    vi.advanceTimersByTime(1_000)
    expect(await late).toMatchObject({ code: 'UNREACHABLE', message: expect.stringContaining('within 1000 ms') })
  })
})

it('a call that was aborted and would time out later counts once: the other call of its request is kept', async () => {
  freezeTimers()
  const server = await heldServer()
  const queue = openServerQueue({ url: server.url }, { headersMs: 100 })
  const abort = new AbortController()
  const claim = queue.claim({ worker: 'w' }, { signal: abort.signal })
  const other = enqueue(queue, 1)
  const request = await server.next()
  abort.abort()
  expect(await claim).toEqual([])
  vi.advanceTimersByTime(100)
  request.respond()
  expect(await other).toMatchObject({ verb: 'enqueue', index: 1 })
})

it('a lone call with node:http leaves without a timer', async () => {
  freezeTimers()
  const server = await heldServer()
  const queue = openServerQueue({ url: server.url })
  for (let i = 0; i < 3; i++) {
    const call = enqueue(queue, i)
    ;(await server.next()).respond()
    expect(await call).toEqual({ path: 'enqueue' })
  }
})

it('a request is not cancelled when its calls settle with its response', async () => {
  const cancel = vi.fn()
  const text = async () => '{"result":{"data":1}}'
  const incoming = { status: 200, headers: new Headers({ 'content-type': 'application/json' }), body: null, text }
  const transport = { post: () => ({ response: Promise.resolve(incoming), cancel }), close: () => {} }
  const queue = openRemoteQueue({ url: 'http://queue.invalid' }, {}, () => transport)
  expect([await queue.facts(), cancel.mock.calls]).toEqual([1, []])
})

it('a call that has settled no longer listens to its signal', async () => {
  const server = await heldServer()
  server.onRequest = (request) => request.respond()
  const { signal } = new AbortController()
  await openServerQueue({ url: server.url }).claim({ worker: 'w' }, { signal })
  expect(getEventListeners(signal, 'abort')).toEqual([])
})
