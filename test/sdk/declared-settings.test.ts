/** Declared settings apply before the first claim, also after a restart of the server. */
import { createServer } from 'node:net'
import { describe, expect, it, onTestFinished } from 'vitest'
import { z } from 'zod'
import { createWorker, type TypedWorkerOptions } from '../../server/sdk/create-worker.ts'
import { declarationsOf, defineJobs } from '../../server/sdk/jobs/define-jobs.ts'
import { openRemoteQueue } from '../../server/sdk/remote/remote-queue.ts'
import type { WorkerEvent } from '../../server/worker/events.ts'
import type { Worker } from '../../server/worker/worker.ts'
import { QueueError } from '../../shared/errors.ts'
import type { Queue } from '../../shared/queue.ts'
import { describeEngine, until } from '../support/engine.ts'
import { postgres, sqlite } from '../support/places.ts'
import { cuttable } from '../support/proxies/cuttable.ts'
import { startOn } from '../support/server.ts'
import type { TestClock } from '../support/test-clock.ts'

const jobs = defineJobs({
  sendEmail: { payload: z.object({ to: z.string() }), settings: { maxAttempts: 9, rate: 50 } },
})

/** A worker whose handler records the effective settings. */
function workOn(queue: Queue, settingsNow: () => Promise<unknown>, options: TypedWorkerOptions = {}) {
  const held: unknown[] = []
  const events: WorkerEvent[] = []
  const worker = createWorker(
    queue,
    jobs,
    {
      sendEmail: async () => {
        held.push(await settingsNow())
      },
    },
    { waitMs: 1_000, ...options },
  )
  worker.events.onAny((event) => events.push(event))
  onTestFinished(() => worker.stop({ graceMs: 0 }))
  return { held, events, worker }
}

async function ended(worker: Worker, clock: TestClock): Promise<void> {
  const stopping = worker.stop({ graceMs: 0 })
  await clock.advance(0)
  await stopping
}

async function closedPort(): Promise<number> {
  const server = createServer()
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const address = server.address()
  await new Promise((resolve) => server.close(resolve))
  if (address === null || typeof address === 'string') throw new Error('the server had no port')
  return address.port
}

describe.each([
  ['SQLite', sqlite],
  ['PostgreSQL', postgres],
] as const)('declared settings on a server (%s)', (_, database) => {
  const startServer = startOn(database)
  const email = { type: 'sendEmail', payload: { to: 'a' } }

  it('declared settings apply to the first job when the server starts after the worker', async () => {
    const line = await cuttable(await closedPort())
    const server = await startServer()
    await server.engine.enqueue(email)
    const settingsNow = async () => (await server.engine.type({ name: 'sendEmail' })).effective
    const { held, events } = workOn(openRemoteQueue({ url: line.url }), settingsNow)
    await until(() => events.some(({ kind }) => kind === 'unreachable'))
    line.lead(server.address.port)
    await until(() => held.length === 1)
    expect(held).toMatchObject([{ maxAttempts: 9, rate: 50 }])
  })

  it('a worker declares its types again before it claims from a server with another database', async () => {
    const [first, second] = [await startServer(), await startServer()]
    const line = await cuttable(first.address.port)
    let current = first
    const settingsNow = async () => (await current.engine.type({ name: 'sendEmail' })).effective
    const { held } = workOn(openRemoteQueue({ url: line.url }), settingsNow)
    await first.engine.enqueue(email)
    await until(() => held.length === 1)
    await second.engine.enqueue(email)
    current = second
    line.lead(second.address.port)
    line.cut()
    await until(() => held.length === 2)
    expect(held[1]).toMatchObject({ maxAttempts: 9, rate: 50 })
  })

  it('a token with the scope work may declare types with its prefix', async () => {
    const server = await startServer()
    await server.engine.enqueue(email)
    const { token } = await server.engine.createToken({ scopes: ['work'], typePrefix: 'send' })
    const settingsNow = async () => (await server.engine.type({ name: 'sendEmail' })).effective
    const { held } = workOn(openRemoteQueue({ url: server.url, token }), settingsNow)
    await until(() => held.length === 1)
    expect(held).toMatchObject([{ maxAttempts: 9, rate: 50 }])
  })
})

describeEngine('a typed worker', (open) => {
  it('claims nothing while the queue rejects its settings, and reports the reason', async () => {
    const { engine, clock } = await open()
    await engine.enqueue({ type: 'sendEmail', payload: 'text', kind: 'message' })
    const { events, worker } = workOn(engine, async () => null, { clock })
    await clock.advance(5_000)
    expect(events.map(({ kind }) => kind)).toEqual(['unreachable'])
    expect(String(events[0]?.kind === 'unreachable' && events[0].error)).toMatch(
      /^QueueError: The settings of sendEmail could not be declared: /,
    )
    expect(await engine.counts()).toMatchObject({ pending: 1, processing: 0 })
    await ended(worker, clock)
  })

  it('settles finished jobs while it cannot declare', async () => {
    const { engine, clock } = await open()
    let isRefusing = false
    const queue = new Proxy(engine, {
      get: (target, key) =>
        key === 'declareTypes' && isRefusing
          ? () => Promise.reject(new QueueError('FORBIDDEN', 'no'))
          : Reflect.get(target, key),
    })
    let finish = () => {}
    const finished = new Promise<void>((resolve) => {
      finish = resolve
    })
    const worker = createWorker(
      queue,
      jobs,
      { sendEmail: () => finished },
      { clock, concurrency: 1, random: () => 0.5 },
    )
    worker.events.onAny(() => {})
    const { id } = await engine.enqueue({ type: 'sendEmail', payload: { to: 'a' } })
    await engine.enqueue({ type: 'sendEmail', payload: { to: 'b' } })
    await until(async () => {
      await clock.advance(0)
      return worker.busy === 1
    })
    isRefusing = true
    // A heartbeat that succeeds after a failure triggers a reconnect.
    Reflect.get(worker, 'reconnect').call(worker)
    finish()
    await clock.advance(0)
    // The retry delay after the rejection.
    await clock.advance(200)
    await until(async () => {
      await clock.advance(0)
      return (await engine.get({ id })).status === 'completed'
    })
    expect(await engine.counts()).toMatchObject({ pending: 1, processing: 0 })
    await ended(worker, clock)
  })

  it('declares nothing with declare: false', async () => {
    const { engine, clock } = await open()
    const { id } = await engine.enqueue({ type: 'sendEmail', payload: { to: 'a' } })
    const { worker } = workOn(engine, async () => null, { clock, declare: false })
    await until(async () => {
      await clock.advance(0)
      return (await engine.get({ id })).status === 'completed'
    })
    expect((await engine.type({ name: 'sendEmail' })).declared).toEqual({})
    await ended(worker, clock)
  })
})

describe('definitions', () => {
  it.each([
    [{ rate: -5 }, 'The settings of sendEmail failed validation: rate: '],
    [{ maxAttempts: 0 }, 'maxAttempts: '],
    [{ burst: 1.5 }, 'burst: '],
    [{ backoff: { kind: 'fixed' } }, 'backoff.baseMs: '],
    [{ retires: 3 }, 'Unrecognized key: "retires"'],
  ])('defineJobs refuses invalid settings: %j', (settings, reason) => {
    const unchecked: Record<string, { payload: z.ZodType; settings: object }> = {
      sendEmail: { payload: z.string(), settings },
    }
    expect(() => defineJobs(unchecked)).toThrow(reason)
  })

  it('defineJobs refuses two jobs with the same type', () => {
    const payload = z.string()
    expect(() => defineJobs({ one: { payload, type: 'mail' }, mail: { payload } })).toThrow(
      'one and mail have the same type mail; give each job its own type.',
    )
  })

  it('the JSON Schema omits computed defaults and contains fixed ones', () => {
    let made = 0
    const next = () => {
      made += 1
      return `made-${made}`
    }
    const payload = z.object({ key: z.string().default(next), copies: z.number().default(1) })
    const [first] = declarationsOf({ mail: { payload } })
    expect(first?.settings?.payloadSchema).toMatchObject({
      properties: { key: { type: 'string' }, copies: { default: 1 } },
    })
    expect(JSON.stringify(first)).not.toContain('made-')
    expect(declarationsOf({ mail: { payload } })).toEqual([first])
  })
})
