/** Lanes of gathered calls, and calls that a client sends again: those without room in a response, and to servers without batch. */
import { describe, expect, it, onTestFinished, vi } from 'vitest'
import { openServerQueue } from '../../server/sdk/node-http/server-queue.ts'
import { openRemoteQueue } from '../../server/sdk/remote/remote-queue.ts'
import { batchIsFull } from '../../shared/contracts/batch-full.ts'
import type { Queue } from '../../shared/queue.ts'
import { refused } from '../support/engine.ts'
import { heldServer } from './support/held-server.ts'

const enqueue = (queue: Queue, payload: unknown) => queue.enqueue({ type: 'mail', payload })
const nextTurn = () => new Promise((resolve) => setImmediate(resolve))

/** Time that passes only when the test advances it. */
function freezeTime(): void {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'hrtime'] })
  onTestFinished(() => void vi.useRealTimers())
}

describe.each([
  ['node:http', openServerQueue],
  ['fetch', openRemoteQueue],
])('a remote queue with %s', (_, open) => {
  it('sends at most 100 reads in a request, in order', async () => {
    const server = await heldServer()
    server.onRequest = (request) => request.respond()
    const queue = open({ url: server.url })
    await Promise.all(Array.from({ length: 203 }, () => queue.types()))
    expect(server.requests.map(({ ops }) => ops.length)).toEqual([100, 100, 3])
  })

  it('sends two requests with writes and two with reads at the same time', async () => {
    freezeTime()
    const server = await heldServer()
    const queue = open({ url: server.url })
    const calls: Promise<unknown>[] = []
    const requests = []
    for (let i = 0; i < 2; i++) {
      calls.push(enqueue(queue, i))
      requests.push(await server.next())
      calls.push(queue.list({}))
      requests.push(await server.next())
    }
    calls.push(enqueue(queue, 2), queue.list({}))
    await nextTurn()
    const waiting = queue.claim({ worker: 'w', waitMs: 1_000 })
    const waitingRequest = await server.next()
    expect(server.requests.map(({ path }) => path)).toEqual(['enqueue', 'list', 'enqueue', 'list', 'claim'])
    server.onRequest = (request) => request.respond()
    for (const request of requests) request.respond()
    waitingRequest.respond([])
    await Promise.all([...calls, waiting])
  })

  it('sends reads again for which the response had no room, the first of them alone', async () => {
    const server = await heldServer()
    server.onRequest = ({ ops, respond }) => {
      if (ops.length === 0) return respond()
      respond({ outcomes: ops.map((_, index) => (index < 2 ? { ok: true, value: { index } } : batchIsFull())) })
    }
    const queue = open({ url: server.url })
    const jobs = await Promise.all(
      Array.from({ length: 6 }, (_, n) => queue.get({ id: `018f6f0e-0000-7000-8000-00000000000${n}` })),
    )
    expect(jobs).toMatchObject([
      { index: 0 },
      { index: 1 },
      { path: 'get' },
      { index: 0 },
      { index: 1 },
      { path: 'get' },
    ])
    expect(server.requests.map(({ path, ops }) => [path, ops.length])).toEqual([
      ['batch', 6],
      ['get', 0],
      ['batch', 3],
      ['get', 0],
    ])
  })

  it('does not send a call again that is itself too large', async () => {
    const server = await heldServer()
    const error = { code: 'TOO_LARGE', message: 'payload is too large', details: { maxBytes: 1 } }
    server.onRequest = ({ ops, respond }) => respond({ outcomes: ops.map(() => ({ ok: false, error })) })
    const queue = open({ url: server.url })
    const errors = await Promise.all([enqueue(queue, 1), enqueue(queue, 2)].map(refused))
    expect(errors).toMatchObject([{ code: 'TOO_LARGE' }, { code: 'TOO_LARGE' }])
    expect(server.requests).toHaveLength(1)
  })

  it('sends each call alone to a server that has no batch, for a minute', async () => {
    freezeTime()
    const server = await heldServer()
    server.onRequest = ({ path, refuse, respond }) => (path === 'batch' ? refuse('NOT_FOUND') : respond())
    const queue = open({ url: server.url })
    const send = () => Promise.all([enqueue(queue, 1), enqueue(queue, 2), queue.pause()])
    expect(await send()).toEqual([{ path: 'enqueue' }, { path: 'enqueue' }, { path: 'settings.pause' }])
    await send()
    const batches = () => server.requests.filter(({ path }) => path === 'batch').length
    expect([batches(), server.requests.length]).toEqual([1, 7])
    vi.advanceTimersByTime(60_000)
    server.onRequest = (request) => request.respond()
    expect(await send()).toMatchObject([{ index: 0 }, { index: 1 }, { index: 2 }])
    expect(batches()).toBe(2)
  })

  it('sends at most ten calls at a time to a server that has no batch', async () => {
    const server = await heldServer()
    let running = 0
    let most = 0
    server.onRequest = ({ path, refuse, respond }) => {
      if (path === 'batch') return refuse('NOT_FOUND')
      running += 1
      most = Math.max(most, running)
      setImmediate(() => {
        running -= 1
        respond()
      })
    }
    const queue = open({ url: server.url })
    await Promise.all(Array.from({ length: 25 }, (_, payload) => enqueue(queue, payload)))
    expect(server.requests).toHaveLength(26)
    expect(most).toBeLessThanOrEqual(10)
  })
})
