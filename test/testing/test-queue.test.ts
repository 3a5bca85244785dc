/** Test queue: advance, drain and expectEnqueued. */
import { AssertionError } from 'node:assert'
import { describe, expect, it, onTestFinished } from 'vitest'
import { createTestQueue, type TestQueue, type TestQueueOptions } from '../../server/sdk/testing/test-queue.ts'
import { Cancel, RetryLater, UnrecoverableError } from '../../server/worker/jobs/handler-errors.ts'
import { startWorker } from '../../server/worker/start-worker.ts'
import { DAY, HOUR } from '../../shared/limits.ts'

function testQueue(options?: TestQueueOptions): TestQueue {
  const queue = createTestQueue(options)
  onTestFinished(() => queue.close())
  return queue
}

const statusOf = async (queue: TestQueue, id: string) => (await queue.get({ id })).status

describe('advance', () => {
  it('advance makes delayed jobs ready when they are due', async () => {
    const queue = testQueue()
    const { id } = await queue.enqueue({ type: 'mail', payload: {}, delayMs: HOUR })
    await queue.advance('59m')
    expect(await statusOf(queue, id)).toBe('scheduled')
    await queue.advance('1m')
    expect(await statusOf(queue, id)).toBe('pending')
  })

  it('advance expires leases, up to the crash limit of the job', async () => {
    const queue = testQueue()
    const { id } = await queue.enqueue({ type: 'mail', payload: {}, maxAttempts: 9 })
    for (let crashes = 1; crashes <= 3; crashes++) {
      const [job] = await queue.claim({ worker: 'w', leaseMs: 30_000 })
      expect(job).toMatchObject({ id, attempts: crashes })
      await queue.heartbeat({ worker: 'w', leases: [{ id, version: job?.version ?? 0 }] })
      await queue.advance('30s')
    }
    expect(await queue.get({ id })).toMatchObject({ status: 'failed', crashes: 3 })
  })

  it('advance runs each task at its due time', async () => {
    const queue = testQueue()
    const { id } = await queue.enqueue({ type: 'mail', payload: {} })
    const { id: late } = await queue.enqueue({ type: 'call', payload: {}, expiresAt: queue.clock.now() + HOUR })
    await queue.claim({ worker: 'w', types: ['mail'], leaseMs: 30_000 })
    const begin = queue.clock.now()
    await queue.advance('1d')
    expect((await queue.attempts({ id })).map(({ finishedAt }) => finishedAt - begin)).toEqual([30_000])
    expect(await queue.get({ id: late })).toMatchObject({ status: 'cancelled', finishedAt: begin + HOUR })
  })

  it('advance applies retention, and a year takes little real time', async () => {
    const queue = testQueue()
    await queue.enqueue({ type: 'mail', payload: {} })
    await queue.enqueue({ type: 'mail', payload: {}, delayMs: 300 * DAY })
    await queue.drain({ mail: () => null })
    await queue.advance('29d')
    expect(await queue.counts()).toMatchObject({ completed: 1, scheduled: 1 })
    await queue.advance('1d')
    expect(await queue.counts()).toMatchObject({ completed: 0, scheduled: 1 })
    await queue.advance('365d')
    expect(await queue.counts()).toMatchObject({ pending: 1 })
  })

  it('the clock starts at startsAt', async () => {
    const startsAt = new Date('2026-02-28T23:59:00Z')
    const queue = testQueue({ startsAt })
    await queue.advance(60_000)
    const { id } = await queue.enqueue({ type: 'mail', payload: {} })
    expect((await queue.get({ id })).createdAt).toBe(Date.parse('2026-03-01T00:00:00Z'))
    expect(queue.clock.now()).toBe(Date.parse('2026-03-01T00:00:00Z'))
  })

  it('advance also moves a worker on the same clock', async () => {
    const queue = testQueue()
    const { clock } = queue
    const ran: number[] = []
    const begin = clock.now()
    const worker = startWorker(queue, { mail: () => ran.push(clock.now() - begin) }, { clock })
    await queue.enqueue({ type: 'mail', payload: {}, delayMs: HOUR })
    await queue.advance('2h')
    expect(ran).toEqual([HOUR])
    await worker.stop({ graceMs: 0 })
  })

  it.each([-1, Number.NaN, '1e3s', '-1h'] as const)('advance refuses %s', async (duration) => {
    await expect(testQueue().advance(duration)).rejects.toThrow(/is not a duration/)
  })
})

describe('drain', () => {
  it('drain runs all due jobs, also those that handlers add, and returns the outcomes', async () => {
    const queue = testQueue()
    const ran: string[] = []
    await queue.enqueue({ type: 'order', payload: 'a' })
    await queue.enqueue({ type: 'order', payload: 'b', priority: 1 })
    await queue.enqueue({ type: 'order', payload: 'c', delayMs: 1 })
    const drained = await queue.drain({
      order: async ({ payload }) => {
        ran.push(`order ${payload}`)
        await queue.enqueue({ type: 'receipt', payload })
        return 'ordered'
      },
      receipt: ({ payload }) => void ran.push(`receipt ${payload}`),
    })
    expect(ran.toSorted()).toEqual(['order a', 'order b', 'receipt a', 'receipt b'])
    expect(ran[0]).toBe('order b')
    expect(drained).toHaveLength(4)
    expect(drained[0]).toMatchObject({ type: 'order', attempt: 1, status: 'completed' })
    expect(await queue.counts()).toMatchObject({ completed: 4, scheduled: 1 })
  })

  it('drain runs one job at a time', async () => {
    const queue = testQueue()
    let [running, most] = [0, 0]
    for (let n = 0; n < 3; n++) await queue.enqueue({ type: 'mail', payload: n })
    await queue.drain({
      mail: async () => {
        most = Math.max(most, ++running)
        await new Promise((resolve) => setImmediate(resolve))
        running -= 1
      },
    })
    expect([most, await queue.counts()]).toMatchObject([1, { completed: 3 }])
  })

  it('drain retries after the backoff, without jitter', async () => {
    const queue = testQueue({
      handlers: {
        mail: () => {
          throw new Error('no answer')
        },
      },
    })
    await queue.enqueue({ type: 'mail', payload: {} })
    expect(await queue.drain()).toMatchObject([
      { attempt: 1, status: 'retrying', error: expect.stringMatching(/no answer/) },
    ])
    expect(await queue.drain()).toEqual([])
    await queue.advance('9s')
    expect(await queue.drain()).toEqual([])
    await queue.advance('1s')
    expect(await queue.drain()).toMatchObject([{ attempt: 2, status: 'retrying' }])
    await queue.advance('40s')
    expect(await queue.drain()).toMatchObject([{ attempt: 3, status: 'failed' }])
  })

  it('drain applies outcome errors of handlers', async () => {
    const queue = testQueue()
    for (const type of ['later', 'never', 'unwanted']) await queue.enqueue({ type, payload: {} })
    const thrown = (error: Error) => () => {
      throw error
    }
    const drained = await queue.drain({
      later: thrown(new RetryLater(5_000)),
      never: thrown(new UnrecoverableError('bad address')),
      unwanted: thrown(new Cancel()),
    })
    expect(drained.map(({ type, status }) => [type, status]).toSorted()).toEqual([
      ['later', 'retrying'],
      ['never', 'failed'],
      ['unwanted', 'cancelled'],
    ])
  })

  it('drain leaves other types, paused types and jobs above their rate limit', async () => {
    const queue = testQueue()
    for (const type of ['other', 'paused', 'slow', 'slow']) await queue.enqueue({ type, payload: {} })
    await queue.pauseType({ name: 'paused' })
    await queue.updateType({ name: 'slow', set: { rate: 1 } })
    const handlers = { paused: () => null, slow: () => null }
    expect(await queue.drain(handlers)).toMatchObject([{ type: 'slow' }])
    await queue.advance('1s')
    expect(await queue.drain(handlers)).toMatchObject([{ type: 'slow' }])
    expect(await queue.counts()).toMatchObject({ pending: 2, completed: 2 })
  })

  it('drain runs nothing with empty handlers', async () => {
    const queue = testQueue()
    await queue.enqueue({ type: 'mail', payload: null })
    expect(await queue.drain({})).toEqual([])
  })

  it('drain throws without handlers', async () => {
    await expect(testQueue().drain()).rejects.toThrow(/needs handlers/)
  })
})

describe('expectEnqueued', () => {
  it('expectEnqueued returns the newest job that matches', async () => {
    const queue = testQueue()
    const payload = { to: 'a', items: [{ sku: 1, n: 2 }], note: null }
    await queue.enqueue({ type: 'mail', payload })
    const { id } = await queue.enqueue({ type: 'mail', payload: { ...payload, again: true } })
    expect(queue.expectEnqueued('mail').id).toBe(id)
    expect(queue.expectEnqueued('mail', { to: 'a', items: [{ sku: 1 }], note: null }).id).toBe(id)
    expect(queue.expectEnqueued('mail', { to: expect.stringMatching(/^a/) })).toMatchObject({ status: 'pending' })
  })

  it.each([
    ['another value', { to: 'b' }],
    ['more than there is', { to: 'a', cc: 'b' }],
    ['a longer list', { items: [1, 2] }],
    ['a list for an object', []],
    ['a matcher that does not match', { to: expect.any(Number) }],
  ])('expectEnqueued throws an assertion error for %s', async (_, payload) => {
    const queue = testQueue()
    await queue.enqueue({ type: 'mail', payload: { to: 'a', items: [1] } })
    expect(() => queue.expectEnqueued('mail', payload)).toThrow(AssertionError)
  })

  it('expectEnqueued lists the actual jobs in its error', async () => {
    const queue = testQueue()
    const words = (type: string, payload?: unknown) => {
      try {
        queue.expectEnqueued(type, payload)
        return 'found'
      } catch (error) {
        return error instanceof Error ? error.message : ''
      }
    }
    expect(words('mail')).toBe('No job of type mail was enqueued. No jobs were enqueued at all.')
    await queue.enqueue({ type: 'mail', payload: { to: 'a' } })
    expect(words('mial')).toBe('No job of type mial was enqueued. Enqueued types: mail.')
    expect(words('mail', { to: 'b' })).toBe(
      'No job of type mail with a payload like {"to":"b"} was enqueued. Jobs of this type:\n  pending {"to":"a"}',
    )
    await queue.enqueueMany({ jobs: Array.from({ length: 11 }, (_, n) => ({ type: 'mail', payload: n })) })
    expect(words('mail', { to: 'b' })).toMatch(/Jobs of this type:\n {2}pending 10\n(?:.*\n){9} {2}and 2 more$/)
  })

  it('expectEnqueued searches more than one page', async () => {
    const queue = testQueue()
    const { id } = await queue.enqueue({ type: 'mail', payload: 'first' })
    await queue.enqueueMany({ jobs: Array.from({ length: 450 }, (_, n) => ({ type: 'mail', payload: n })) })
    expect(queue.expectEnqueued('mail', 'first').id).toBe(id)
  })
})
