/** `tq` on a queue by its address: file, PostgreSQL, server. Jobs are sent in the background. */
import { createServer } from 'node:net'
import { join } from 'node:path'
import { describe, expect, it, onTestFinished } from 'vitest'
import { z } from 'zod'
import { openQueue } from '../../server/sdk/open-queue.ts'
import { openRemoteQueue } from '../../server/sdk/remote/remote-queue.ts'
import { readOptions } from '../../server/sdk/tq/options.ts'
import { TaskTypes } from '../../server/sdk/tq/task-types.ts'
import { createTq, newTq } from '../../server/sdk/tq/tq.ts'
import { Workers } from '../../server/sdk/tq/workers.ts'
import { QueueError } from '../../shared/errors.ts'
import { postgres, sqlite } from '../support/places.ts'
import { cuttable } from '../support/proxies/cuttable.ts'
import { refusal } from '../support/refusal.ts'
import { startOn } from '../support/server.ts'
import { tempFolder } from '../support/temp.ts'
import { TestClock } from '../support/test-clock.ts'
import { gated } from '../support/worker.ts'

const HOMES: readonly (readonly [string, () => Promise<string>])[] = [
  ['a file', async () => (await sqlite.create()).url()],
  ['memory', async () => 'sqlite::memory:'],
  ['PostgreSQL', async () => (await postgres.create()).url()],
  ['a server', async () => (await startOn(sqlite)()).url],
]

describe.each(HOMES)('tq on %s', (_, home) => {
  it('adds, runs and counts jobs, and stops', async () => {
    const errors: unknown[] = []
    const tq = createTq({ url: await home(), onError: (error) => errors.push(error) })
    onTestFinished(() => tq.stop({ graceMs: 0 }))
    const ran: string[] = []
    let done = () => {}
    const both = new Promise<void>((resolve) => {
      done = resolve
    })
    const later = tq('later').add({ n: 1 }, { delayMs: 60_000 }).add({ n: 2 }, { dedupeKey: 'two' })
    const again = tq('later').add({ n: 3 }, { dedupeKey: 'two' })
    await tq.flush()
    expect(await again.added()).toMatchObject({ id: (await later.added()).id, deduplicated: true })
    await expect(tq('later').added()).rejects.toMatchObject({ code: 'WRONG_STATE' })
    expect(await tq.stats()).toMatchObject({ 'to-do': 2, byType: { later: { 'to-do': 2 } } })
    tq<{ to: string }>('mail')
      .add({ to: 'a' })
      .setWorker(({ to }, { attempt }) => {
        ran.push(`${to} ${attempt}`)
        if (ran.length === 2) done()
      })
      .setWorkerCount(1)
      .add({ to: 'b' })
    await both
    expect(ran).toEqual(['a 1', 'b 1'])
    await tq.stop()
    expect(errors).toEqual([])
    expect(refusal(() => tq('mail').add({}))).toMatchObject({ code: 'CLOSED' })
  }, 60_000)
})

describe('the stats of the global tq on an address', () => {
  it('stats of the global tq with { url } throw when a count is read without await', async () => {
    const tq = newTq()
    tq.init({ url: 'sqlite::memory:' })
    onTestFinished(() => tq.stop({ graceMs: 0 }))
    expect(await tq.stats()).toEqual({ 'to-do': 0, 'in-progress': 0, success: 0, failed: 0, byType: {} })
    for (const name of ['to-do', 'in-progress', 'success', 'failed', 'byType'] as const) {
      expect(refusal(() => tq.stats()[name])).toMatchObject({ message: expect.stringContaining('await tq.stats()') })
    }
  })
})

/** An address without a server. */
async function nowhere(): Promise<string> {
  const server = createServer()
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const { port } = z.object({ port: z.number() }).parse(server.address())
  await new Promise((resolve) => server.close(resolve))
  return `http://127.0.0.1:${port}`
}

describe('a job that cannot be sent', () => {
  it('a job that cannot be sent makes flush fail once and is reported', async () => {
    const errors: unknown[] = []
    const tq = createTq({ url: await nowhere(), onError: (error) => errors.push(error) })
    onTestFinished(() => tq.stop())
    tq('mail').add(1)
    const lost = {
      message: expect.stringMatching(/type mail may not be stored: .*did not respond/),
      cause: { code: 'UNREACHABLE' },
    }
    await expect(tq.flush()).rejects.toMatchObject(lost)
    expect(errors).toMatchObject([lost])
    await tq.flush()
    tq('mail').add(2).add(3)
    await expect(tq.flush()).rejects.toMatchObject({ message: expect.stringMatching(/^2 jobs/), errors: [lost, lost] })
    expect(errors).toHaveLength(3)
    await expect(tq.stats()).rejects.toMatchObject({ code: 'UNREACHABLE' })
  })

  it('a job that cannot be sent causes a process warning without onError', async () => {
    const tq = createTq({ url: await nowhere() })
    onTestFinished(() => tq.stop())
    const warned = new Promise((resolve) => process.once('warning', resolve))
    tq('mail').add(1)
    expect(await warned).toMatchObject({ message: expect.stringMatching(/type mail may not be stored/) })
  })

  it('all jobs are reported when the queue cannot be opened', async () => {
    const errors: unknown[] = []
    const tq = createTq({ url: 'queue.db', onError: (error) => errors.push(error) })
    tq('mail')
      .setWorker(() => null)
      .add(1)
    await expect(tq.flush()).rejects.toThrow(/Cannot open/)
    await expect(tq.stats()).rejects.toThrow(/Cannot open/)
    expect(errors).toMatchObject([
      { message: expect.stringMatching(/Cannot open/) },
      { message: expect.stringMatching(/type mail may not be stored: Cannot open/) },
    ])
    await tq.stop()
  })

  it('an invalid job is refused at once', async () => {
    const tq = createTq({ url: await nowhere() })
    onTestFinished(() => tq.stop())
    expect(refusal(() => tq('mail').add(1n)).code).toBe('BAD_INPUT')
    expect(refusal(() => tq('mail').add(1, { priority: 0.5 })).code).toBe('BAD_INPUT')
    await tq.flush()
  })

  it('a payload that is changed after add is sent unchanged', async () => {
    const file = join(await tempFolder(), 'queue.db')
    const tq = createTq({ url: `sqlite:${file}` })
    const payload = { to: 'a' }
    tq('mail').add(payload)
    payload.to = 'b'
    await tq.stop()
    const queue = await openQueue(`sqlite:${file}`)
    expect((await queue.list({ payloads: true })).jobs).toMatchObject([{ payload: { to: 'a' } }])
    await queue.close()
  })
})

describe('a server that starts later', () => {
  it('types are declared and workers start when the server is reachable', async () => {
    const line = await cuttable(9)
    const clock = new TestClock()
    const errors: unknown[] = []
    const onEvent: string[] = []
    const tq = newTq()
    const ran = new Promise((resolve) => tq('mail').setWorker(resolve).setRateLimit(5))
    tq.init({
      url: line.url,
      clock,
      onError: (error) => errors.push(error),
      onEvent: ({ kind }) => onEvent.push(kind),
    })
    while (errors.length === 0) await clock.advance(0)
    const server = await startOn(sqlite)()
    onTestFinished(async () => {
      const stopping = tq.stop({ graceMs: 0 })
      await clock.advance(0)
      await stopping
    })
    line.lead(server.address.port)
    await openRemoteQueue({ url: server.url }).enqueue({ type: 'mail', payload: 'hello' })
    let isOver = false
    const over = ran.then((payload) => {
      isOver = true
      return payload
    })
    // Short steps, because calls take real time and must not time out on this clock.
    while (!isOver) await clock.advance(50)
    expect(await over).toBe('hello')
    expect(errors).toMatchObject([{ code: 'UNREACHABLE' }])
    expect((await server.engine.type({ name: 'mail' })).declared).toEqual({ rate: 5, timeoutMs: 300_000 })
    expect(onEvent).toContain('claimed')
  }, 60_000)

  it('types are declared before the first claim', async () => {
    const clock = new TestClock()
    const queue = await openQueue('sqlite::memory:', { clock, services: false })
    const { declareTypes } = queue
    const answer = gated(null)
    const slow = Object.assign(queue, {
      declareTypes: async (input: Parameters<typeof declareTypes>[0]) => {
        await answer.handler()
        return declareTypes(input)
      },
    })
    const ran: unknown[] = []
    const types = new TaskTypes()
    types.get('mail').handler = ({ payload }) => ran.push(payload)
    types.get('mail').settings = { rate: 1 }
    const workers = new Workers({
      queue: Promise.resolve(slow),
      types,
      settings: readOptions({ clock }),
      isHeld: false,
    })
    onTestFinished(async () => {
      await workers.stop(0)
      await queue.close()
    })
    await queue.enqueueMany({ jobs: [1, 2].map((payload) => ({ type: 'mail', payload })) })
    workers.changed()
    await clock.advance(0)
    expect([answer.waiting, ran]).toEqual([1, []])
    answer.open()
    await clock.advance(0)
    expect(ran).toEqual([1])
  })

  it('nothing is claimed while the settings are rejected, and the reason is reported once', async () => {
    const queue = await openQueue('sqlite::memory:')
    onTestFinished(() => queue.close())
    const errors: unknown[] = []
    const forbidden = new QueueError('FORBIDDEN', 'types.declare needs a token with the scope work or admin.')
    const { declareTypes } = queue
    let refusals = 0
    const refusing = Object.assign(queue, {
      declareTypes: (input: Parameters<typeof declareTypes>[0]) => {
        refusals += 1
        return refusals < 3 ? Promise.reject(forbidden) : declareTypes(input)
      },
    })
    const types = new TaskTypes()
    const ran = new Promise((resolve) => {
      types.get('mail').handler = ({ payload }) => resolve([payload, refusals])
    })
    const settings = readOptions({ onError: (error) => errors.push(error) })
    const workers = new Workers({ queue: Promise.resolve(refusing), types, settings, isHeld: false })
    onTestFinished(() => workers.stop(0))
    workers.changed()
    await queue.enqueue({ type: 'mail', payload: 'hello' })
    expect(await ran).toEqual(['hello', 3])
    expect(errors).toEqual([forbidden])
  })
})
