/** Typed jobs over a real server: enqueue, results, workers and invalid jobs. */
import { describe, expect, it, onTestFinished } from 'vitest'
import { z } from 'zod'
import type { Handlers } from '../../server/sdk/checked-handlers.ts'
import { createWorker } from '../../server/sdk/create-worker.ts'
import { createClient } from '../../server/sdk/declaring-client.ts'
import { defineJobs } from '../../server/sdk/jobs/define-jobs.ts'
import { JobNotCompleted } from '../../server/sdk/jobs/job-not-completed.ts'
import { ResultTimeout } from '../../server/sdk/jobs/job-results.ts'
import type { Schema } from '../../server/sdk/jobs/standard-schema.ts'
import { openQueue } from '../../server/sdk/open-queue.ts'
import { refused } from '../support/engine.ts'
import { cuttable } from '../support/proxies/cuttable.ts'
import { describeServer, type TestServer } from '../support/server.ts'

const jobs = defineJobs({
  sendEmail: {
    payload: z.object({ to: z.email(), copies: z.int().default(1) }),
    result: z.object({ messageId: z.string(), sentAt: z.iso.datetime().transform((text) => new Date(text)) }),
    settings: { maxAttempts: 7 },
  },
  resize: { type: 'image.resize', payload: z.object({ url: z.string() }) },
})

const SENT_AT = '2026-01-02T03:04:05.000Z'

function clientOf({ url }: Pick<TestServer, 'url'>) {
  return createClient({ url, jobs })
}

function workOn({ url }: Pick<TestServer, 'url'>, handlers: Handlers<typeof jobs>) {
  const worker = createWorker(createClient({ url, jobs }), jobs, handlers, { leaseMs: 2_000 })
  onTestFinished(() => worker.stop({ graceMs: 0 }))
  return worker
}

describe('a closed client', () => {
  it.each(['by itself', 'with its queue'])('rejects pending results: %s', async (how) => {
    const queue = await openQueue('sqlite::memory:')
    const client = createClient({ queue, jobs })
    const job = await client.resize.enqueue({ url: 'x' })
    const waiting = refused(job.result())
    await (how === 'by itself' ? client.$close() : queue.close())
    expect(await waiting).toMatchObject({ code: 'CLOSED' })
    expect(await refused(job.result())).toMatchObject({ code: 'CLOSED' })
    await queue.close()
  })
})

describeServer('typed jobs', (startServer) => {
  it('typed jobs pass payloads and results with their types', async () => {
    const server = await startServer()
    const queue = clientOf(server)
    const seen: unknown[] = []
    workOn(server, {
      sendEmail: ({ payload }) => {
        seen.push(payload)
        return { messageId: `to-${payload.to}`, sentAt: SENT_AT }
      },
    })
    const job = await queue.sendEmail.enqueue({ to: 'a@b.co' }, { priority: 3 })
    expect(job.deduplicated).toBe(false)
    expect(await job.result({ timeoutMs: 20_000 })).toEqual({ messageId: 'to-a@b.co', sentAt: new Date(SENT_AT) })
    expect(seen).toEqual([{ to: 'a@b.co', copies: 1 }])
    const { messageId } = await queue.sendEmail.job(job.id).result()
    expect(messageId).toBe('to-a@b.co')
  })

  it('a worker declares settings and JSON Schemas of its typed jobs', async () => {
    const server = await startServer()
    const queue = clientOf(server)
    await queue.$declare()
    const types = await queue.$queue.types()
    expect(types.map(({ name }) => name).sort()).toEqual(['image.resize', 'sendEmail'])
    expect((await queue.$queue.type({ name: 'sendEmail' })).declared).toMatchObject({
      maxAttempts: 7,
      payloadSchema: { type: 'object', required: ['to'], properties: { to: { format: 'email' } } },
      resultSchema: { required: ['messageId', 'sentAt'] },
    })
  })

  it('typed jobs accept asynchronous checks and any Standard Schema library', async () => {
    const server = await startServer()
    const own: Schema<{ n: string }, { n: number }> = {
      '~standard': {
        version: 1,
        vendor: 'own',
        validate: (value) =>
          JSON.stringify(value) === '{"n":"1"}'
            ? { value: { n: 1 } }
            : { issues: [{ message: 'no', path: [{ key: 'n' }] }] },
      },
    }
    const mixed = defineJobs({
      later: { payload: z.string().refine(async (text) => text === 'good', 'is not good') },
      own: { payload: own, result: own },
    })
    const queue = createClient({ url: server.url, jobs: mixed })
    expect((await refused(queue.later.enqueue('bad'))).message).toBe(
      'The payload of later failed validation: is not good',
    )
    expect((await refused(queue.own.enqueue({ n: '2' }))).message).toBe('The payload of own failed validation: n: no')
    expect((await queue.later.enqueueMany(['good', 'good'])).length).toBe(2)
    const handlers = { later: () => null, own: () => ({ n: '1' }) }
    const worker = createWorker(queue, mixed, handlers, { leaseMs: 2_000 })
    onTestFinished(() => worker.stop({ graceMs: 0 }))
    expect(await (await queue.own.enqueue({ n: '1' })).result({ timeoutMs: 20_000 })).toEqual({ n: 1 })
    expect((await queue.$queue.type({ name: 'own' })).declared).not.toHaveProperty('payloadSchema')
  })

  it('an invalid payload is refused before it is sent', async () => {
    const server = await startServer()
    const queue = clientOf(server)
    const error = await refused(queue.sendEmail.enqueue({ to: 'no address' }))
    expect(error).toMatchObject({ code: 'BAD_INPUT' })
    expect(error.message).toMatch(/^The payload of sendEmail failed validation: to: Invalid email/)
    const second = refused(queue.sendEmail.enqueueMany([{ to: 'a@b.co' }, { to: 'no address' }]))
    expect((await second).message).toMatch(/^Payload 1 of sendEmail failed validation/)
    expect(await queue.$queue.counts()).toMatchObject({ pending: 0 })
  })

  it('a job fails at once, with a reason, when its stored payload violates a newer schema', async () => {
    const server = await startServer()
    const { id } = await server.engine.enqueue({ type: 'sendEmail', payload: { to: 7 } })
    let runs = 0
    workOn(server, {
      sendEmail: () => {
        runs += 1
        return { messageId: '', sentAt: SENT_AT }
      },
    })
    const error = await clientOf(server)
      .sendEmail.job(id)
      .result()
      .catch((reason: unknown) => reason)
    expect(error).toBeInstanceOf(JobNotCompleted)
    expect(error).toMatchObject({ id, status: 'failed' })
    expect(String(error)).toContain('The payload of sendEmail failed validation: to: Invalid input: expected string')
    expect([runs, (await server.engine.get({ id })).attempts]).toEqual([0, 1])
  })

  it('a job fails when its result violates the schema', async () => {
    const server = await startServer()
    const queue = clientOf(server)
    workOn(server, { sendEmail: () => ({ messageId: 'm', sentAt: 'yesterday' }) })
    const job = await queue.sendEmail.enqueue({ to: 'a@b.co' })
    await expect(job.result()).rejects.toThrow(
      'The result of sendEmail failed validation: sentAt: Invalid ISO datetime',
    )
    expect(await server.engine.get({ id: job.id })).toMatchObject({ status: 'failed', attempts: 1 })
  })

  it('enqueueMany stores all or none, in order, and accepts an empty list', async () => {
    const server = await startServer()
    const queue = clientOf(server)
    expect(await queue.resize.enqueueMany([])).toEqual([])
    const many = await queue.resize.enqueueMany([{ url: '1' }, { url: '2' }], () => ({ dedupeKey: 'one' }))
    expect(many.map(({ deduplicated }) => deduplicated)).toEqual([false, true])
    const found = await queue.$queue.list({ type: 'image.resize' })
    expect(found.jobs).toHaveLength(1)
  })
})

describeServer('the result of a job', (startServer) => {
  it('result() rejects when the job fails, is cancelled or is removed', async () => {
    const server = await startServer()
    const queue = clientOf(server)
    const [failing, cancelled, removed] = await queue.resize.enqueueMany([{ url: '1' }, { url: '2' }, { url: '3' }])
    if (!failing || !cancelled || !removed) throw new Error('three jobs were enqueued')
    const errors = Promise.all(
      [failing, cancelled, removed].map((job) => job.result().catch((error: unknown) => error)),
    )
    const [claimed] = await server.engine.claim({ worker: 'w', types: ['image.resize'] })
    await server.engine.fail({ id: claimed?.id ?? '', version: 1, error: 'no such picture', retry: false })
    await server.engine.cancel({ id: cancelled.id })
    await server.engine.remove({ id: removed.id })
    expect(await errors).toMatchObject([
      { name: 'JobNotCompleted', status: 'failed', id: failing.id },
      { name: 'JobNotCompleted', status: 'cancelled', id: cancelled.id },
      { name: 'JobNotCompleted', status: 'missing', id: removed.id },
    ])
    expect(String((await errors)[0])).toContain('no such picture')
  })

  it('result() has a timeout and an abort signal', async () => {
    const server = await startServer()
    const queue = clientOf(server)
    const job = await queue.resize.enqueue({ url: '1' })
    await expect(job.result({ timeoutMs: 20 })).rejects.toBeInstanceOf(ResultTimeout)
    const stop = new AbortController()
    const waiting = job.result({ signal: stop.signal })
    stop.abort(new Error('enough'))
    await expect(waiting).rejects.toThrow('enough')
  })

  it('all waiters share one call', async () => {
    const server = await startServer({ LOG_LEVEL: 'debug' })
    const queue = clientOf(server)
    const many = await queue.resize.enqueueMany(Array.from({ length: 150 }, (_, n) => ({ url: `${n}` })))
    const results = Promise.all(many.flatMap((job) => [job.result(), job.result()]))
    workOn(server, { resize: ({ payload }) => payload.url })
    expect(await results).toEqual(many.flatMap((_, n) => [`${n}`, `${n}`]))
    const asked = server.logged.filter(({ url }) => String(url).startsWith('/trpc/result')).length
    expect(asked).toBeLessThan(100)
  })

  it('200 waiters get their results across a restart of the server', async () => {
    const first = await startServer()
    const line = await cuttable(first.address.port)
    const clients = Array.from({ length: 200 }, () => clientOf(line))
    const enqueued = await Promise.all(clients.map((queue, n) => queue.resize.enqueue({ url: `${n}` })))
    const results = Promise.all(enqueued.map((job) => job.result({ timeoutMs: 60_000 })))
    await first.close()
    line.cut()
    const second = await startServer({}, { place: first.place })
    line.lead(second.address.port)
    workOn(line, { resize: ({ payload }) => `resized ${payload.url}` })
    expect(await results).toEqual(enqueued.map((_, n) => `resized ${n}`))
  })
})

describe('definitions', () => {
  it('defineJobs refuses schemas that JSON cannot represent', () => {
    expect(() => defineJobs({ bill: { payload: z.object({ due: z.date() }) } })).toThrow(
      'The payload schema of bill cannot be represented in JSON: Date cannot be represented in JSON Schema',
    )
  })

  it('createClient explains how to open a queue without a server', () => {
    expect(() => createClient({ url: 'sqlite:./queue.db', jobs })).toThrow('pass { queue: await openQueue(url) }')
  })

  it('createWorker refuses to start without a handler', () => {
    const queue = createClient({ url: 'http://127.0.0.1:9', jobs })
    expect(() => createWorker(queue, jobs, {})).toThrow('This worker has no handler')
  })
})

describeServer('a token with the scope produce alone', (startServer) => {
  it('a token with the scope produce reads the results of its jobs and nothing else', async () => {
    const server = await startServer()
    const { token } = await server.engine.createToken({ scopes: ['produce'], typePrefix: 'image.' })
    const queue = createClient({ url: server.url, token, jobs })
    const job = await queue.resize.enqueue({ url: 'x' })
    const { id: other } = await server.engine.enqueue({ type: 'sendEmail', payload: {} })
    const result = job.result({ timeoutMs: 20_000 })
    const worker = createWorker(server.engine, jobs, { resize: ({ payload }) => payload.url })
    onTestFinished(() => worker.stop({ graceMs: 0 }))
    expect(await result).toBe('x')
    expect(await refused(queue.$queue.get({ id: job.id }))).toMatchObject({ code: 'FORBIDDEN' })
    expect(await refused(queue.sendEmail.job(other).result())).toMatchObject({ code: 'FORBIDDEN' })
  })
})

describe('the handle of a job', () => {
  it('a job handle returns the status and cancels the job', async () => {
    const queue = await openQueue('sqlite::memory:')
    onTestFinished(() => queue.close())
    const client = createClient({ queue, jobs })
    const job = await client.resize.enqueue({ url: 'x' }, { delayMs: 60_000 })
    expect(await job.status()).toBe('scheduled')
    expect(await client.resize.job(job.id).cancel()).toMatchObject({ status: 'cancelled' })
    expect(await job.status()).toBe('cancelled')
  })

  it('result() rejects with a reason without stack and paths of the worker', async () => {
    const queue = await openQueue('sqlite::memory:')
    const client = createClient({ queue, jobs })
    const cause = new Error('no such bucket')
    const worker = createWorker(queue, jobs, {
      resize: () => {
        throw new TypeError(`cannot resize\n${'x'.repeat(500)}`, { cause })
      },
    })
    onTestFinished(async () => {
      await worker.stop({ graceMs: 0 })
      await queue.close()
    })
    const job = await client.resize.enqueue({ url: 'x' }, { maxAttempts: 1 })
    const error = await job.result().catch((reason: unknown) => reason)
    if (!(error instanceof JobNotCompleted)) throw error
    expect(error.message).toBe(`Job ${job.id} did not complete (failed): cannot resize`)
    expect(error.reason).toMatch(/^cannot resize\nx{500}\nCaused by: Error: no such bucket$/)
    expect(error.reason).not.toMatch(/ at |client\.test/)
    const [attempt] = await queue.attempts({ id: job.id })
    expect(attempt?.error).toContain('client.test')
  })
})
