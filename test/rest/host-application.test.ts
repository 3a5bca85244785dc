/** The task API in host applications: Express with several body parsers, Fastify, plain Node. */
import { createServer, type RequestListener } from 'node:http'
import type { AddressInfo } from 'node:net'
import express from 'express'
import { describe, expect, it, onTestFinished } from 'vitest'
import { createTaskQueueRouter, createTq, type FastifyHost, taskQueueRoutes, tq } from '../../server/sdk/entries/tq.ts'
import type { Queue } from '../../shared/queue.ts'
import { describeEngine } from '../support/engine.ts'
import { hostApp } from '../tq/host-app.ts'
import { outcome, send } from './send.ts'

async function listen(handler: RequestListener): Promise<{ url: string }> {
  const server = createServer(handler)
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  onTestFinished(() => {
    server.closeAllConnections()
    server.close()
  })
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}` }
}

const HOSTS: Readonly<Record<string, (queue: Queue) => RequestListener>> = {
  Express: (queue) => express().use('/api/task-queue', createTaskQueueRouter(queue)),
  'Express after express.json()': (queue) =>
    express().use(express.json()).use('/api/task-queue', createTaskQueueRouter(queue)),
  'Express after express.text()': (queue) =>
    express()
      .use(express.text({ type: '*/*' }))
      .use('/api/task-queue', createTaskQueueRouter(queue)),
  'Express after express.raw()': (queue) =>
    express()
      .use(express.raw({ type: '*/*' }))
      .use('/api/task-queue', createTaskQueueRouter(queue)),
  // Fastify and Next.js API routes pass requests in this form.
  'a framework that has read the body': (queue) => async (request, response) => {
    const parts: Buffer[] = []
    for await (const part of request) parts.push(part)
    const text = Buffer.concat(parts).toString()
    const body: unknown = text === '' ? undefined : JSON.parse(text)
    await createTaskQueueRouter(queue, { prefix: '/api/task-queue' })(Object.assign(request, { body }), response)
  },
  'plain Node': (queue) => createTaskQueueRouter(queue, { prefix: '/api/task-queue' }),
}

/** Stands in for Fastify: prefix, content type parsers, and raw requests with a hijacked reply. */
async function fastifyLike(prefix: string, register: (host: FastifyHost) => Promise<void>): Promise<RequestListener> {
  const parsers = new Set(['application/json', 'text/plain'])
  const routes: Parameters<FastifyHost['all']>[] = []
  await register({
    prefix,
    removeAllContentTypeParsers: () => parsers.clear(),
    addContentTypeParser: (type) => void parsers.add(type),
    all: (...route) => void routes.push(route),
  })
  expect([[...parsers], routes.map(([path]) => path)]).toEqual([['*'], ['/*']])
  return (request, response) => {
    let isHijacked = false
    const hijack = () => {
      isHijacked = true
    }
    const [, handle] = routes[0] ?? []
    void handle?.({ raw: request }, { raw: response, hijack }).then(() => expect(isHijacked).toBe(true))
  }
}

describe('the task API without a queue', () => {
  const create = { type: 'mail', payload: { to: 'ada' } }

  it('the task API without a queue serves the queue of tq in Express once tq has started', async () => {
    const { file, db } = await hostApp()
    const host = await listen(express().use('/api/task-queue', createTaskQueueRouter()))
    expect(await outcome(host, 'GET /api/task-queue/tasks')).toEqual([
      503,
      { error: expect.stringContaining('call tq.init({ db })') },
    ])
    tq.init({ db })
    onTestFinished(() => tq.stop())
    expect(await outcome(host, 'GET /api/task-queue/tasks')).toEqual([200, []])
    tq('mail').add({ to: 'ada' })
    const { body } = await send(host, 'POST /api/task-queue/tasks', create)
    expect((await send(host, 'GET /api/task-queue/tasks')).body).toMatchObject([body, { payload: { to: 'ada' } }])
    expect((await tq.queue()).address).toEqual({ url: `sqlite:${file}` })
    await tq.stop()
    expect((await send(host, 'GET /api/task-queue/tasks')).status).toBe(503)
  })

  it('the task API works as a Fastify plugin under its prefix', async () => {
    const own = createTq({ url: 'sqlite::memory:' })
    onTestFinished(() => own.stop())
    const plugin = await fastifyLike('/api/task-queue', (host) => taskQueueRoutes(host, { queue: own }))
    const host = await listen(plugin)
    const { status, body } = await send(host, 'POST /api/task-queue/tasks', create)
    expect([status, body]).toEqual([201, expect.objectContaining({ ...create, status: 'to-do' })])
    expect(await outcome(host, 'GET /api/task-queue/tasks')).toEqual([200, [body]])
    expect(await outcome(host, 'POST /api/task-queue/tasks/pause')).toEqual([200, { paused: true }])
    expect((await send(host, 'POST /api/task-queue/tasks', create, { 'content-type': 'text/plain' })).status).toBe(415)
  })

  it('the task API rejects options in place of a queue', () => {
    // @ts-expect-error options come second
    expect(() => createTaskQueueRouter({ prefix: '/api' })).toThrow(/first argument is neither a queue nor a tq/)
  })
})

describeEngine('the task API', (open) => {
  it.each(Object.keys(HOSTS))('the task API works in %s', async (name) => {
    const { engine } = await open()
    const make = HOSTS[name]
    if (!make) throw new Error(name)
    const host = await listen(make(engine))
    const body = { type: 'mail', payload: { to: 'ada' } }
    const created = await send(host, 'POST /api/task-queue/tasks', body)
    expect(created).toMatchObject({ status: 201, body: { ...body, status: 'to-do' } })
    const { id } = created.body as { id: string }
    expect((await send(host, 'GET /api/task-queue/tasks?type=mail')).body).toEqual([created.body])
    expect(await outcome(host, 'POST /api/task-queue/tasks/pause')).toEqual([200, { paused: true }])
    expect((await send(host, `POST /api/task-queue/tasks/${id}/cancel`)).status).toBe(200)
    expect(await outcome(host, `DELETE /api/task-queue/tasks/${id}`)).toEqual([200, { deleted: 1 }])
    expect((await send(host, `GET /api/task-queue/tasks/${id}`)).status).toBe(404)
    expect((await send(host, 'GET /api/task-queue/elsewhere')).status).toBe(404)
    // A form on another site can send text but not JSON.
    const form = await send(host, 'POST /api/task-queue/tasks', body, { 'content-type': 'text/plain' })
    expect([form.status, (await engine.counts()).pending]).toEqual([415, 0])
  })

  it('the task API leaves authentication to the application, and reports internal errors', async () => {
    const { engine } = await open()
    const reported: unknown[] = []
    const app = express()
    app.use((request, response, next) => {
      if (request.headers.authorization === 'ours') next()
      else response.status(418).json({})
    })
    const broken = { ...engine, stats: () => Promise.reject(new Error('no such table')) }
    app.use('/api', createTaskQueueRouter(broken, { maxBodyBytes: 1_024, onError: (error) => reported.push(error) }))
    const host = await listen(app)
    const ours = { authorization: 'ours' }
    expect((await send(host, 'GET /api/tasks')).status).toBe(418)
    expect(await outcome(host, 'GET /api/tasks', undefined, ours)).toEqual([200, []])
    expect(await outcome(host, 'GET /api/tasks/stats', undefined, ours)).toEqual([
      500,
      { error: 'The server failed to process this request; see its log for the reason.' },
    ])
    expect(reported).toEqual([new Error('no such table')])
    const large = { type: 'a', payload: 'x'.repeat(2_000) }
    expect((await send(host, 'POST /api/tasks', large, ours)).status).toBe(413)
  })
})
