/** The task face in an application of somebody else: Express with and without its body parser, and plain Node. */
import { createServer, type RequestListener } from 'node:http'
import type { AddressInfo } from 'node:net'
import express from 'express'
import { expect, it, onTestFinished } from 'vitest'
import { createTaskQueueRouter } from '../../server/index.ts'
import type { Queue } from '../../server/queue/queue.ts'
import { describeEngine } from '../support/engine.ts'
import { ask, outcome } from './ask.ts'

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
  // As Fastify and the API routes of Next.js hand a request on.
  'a framework that has read the body': (queue) => async (request, response) => {
    const parts: Buffer[] = []
    for await (const part of request) parts.push(part)
    const text = Buffer.concat(parts).toString()
    const body: unknown = text === '' ? undefined : JSON.parse(text)
    await createTaskQueueRouter(queue, { prefix: '/api/task-queue' })(Object.assign(request, { body }), response)
  },
  'plain Node': (queue) => createTaskQueueRouter(queue, { prefix: '/api/task-queue' }),
}

describeEngine('the task face', (open) => {
  it.each(Object.keys(HOSTS))('works in %s', async (name) => {
    const { engine } = await open()
    const make = HOSTS[name]
    if (!make) throw new Error(name)
    const host = await listen(make(engine))
    const body = { type: 'mail', payload: { to: 'ada' } }
    const created = await ask(host, 'POST /api/task-queue/tasks', body)
    expect(created).toMatchObject({ status: 201, body: { ...body, status: 'to-do' } })
    const { id } = created.body as { id: string }
    expect((await ask(host, 'GET /api/task-queue/tasks?type=mail')).body).toEqual([created.body])
    expect(await outcome(host, 'POST /api/task-queue/tasks/pause')).toEqual([200, { paused: true }])
    expect((await ask(host, `POST /api/task-queue/tasks/${id}/cancel`)).status).toBe(200)
    expect(await outcome(host, `DELETE /api/task-queue/tasks/${id}`)).toEqual([200, { deleted: 1 }])
    expect((await ask(host, `GET /api/task-queue/tasks/${id}`)).status).toBe(404)
    expect((await ask(host, 'GET /api/task-queue/elsewhere')).status).toBe(404)
    // A form of another site can send text, and no JSON.
    const form = await ask(host, 'POST /api/task-queue/tasks', body, { 'content-type': 'text/plain' })
    expect([form.status, (await engine.counts()).pending]).toEqual([415, 0])
  })

  it('leaves who may call to the application, and reports faults of its own', async () => {
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
    expect((await ask(host, 'GET /api/tasks')).status).toBe(418)
    expect(await outcome(host, 'GET /api/tasks', undefined, ours)).toEqual([200, []])
    expect(await outcome(host, 'GET /api/tasks/stats', undefined, ours)).toEqual([
      500,
      { error: 'The server failed at this request; its log says why.' },
    ])
    expect(reported).toEqual([new Error('no such table')])
    const large = { type: 'a', payload: 'x'.repeat(2_000) }
    expect((await ask(host, 'POST /api/tasks', large, ours)).status).toBe(413)
  })
})
