/** Producers over HTTP: every option of a job, dedupe keys, and batches that store all or nothing. */
import { expect, it } from 'vitest'
import type { EnqueueResult } from '../../../shared/job.ts'
import { DAY, HOUR, limits } from '../../../shared/limits.ts'
import { ok, refused } from '../support/responses.ts'
import { describeApi, summary } from '../support/world.ts'

const enqueued = (deduplicated: boolean, id: unknown = expect.any(String)) => ({ id, status: 'pending', deduplicated })

describeApi('enqueue', ({ openServer }) => {
  it('enqueue stores every option of a job', async () => {
    const server = await openServer()
    const options = {
      type: 'mail',
      priority: 7,
      maxAttempts: 5,
      timeoutMs: 61_000,
      backoff: { kind: 'fixed', baseMs: 2_000, jitter: 0.5 },
      dedupeKey: 'order-9',
      dedupeUntil: 'finished',
      expiresAt: limits.instant,
      face: 'form',
      traceparent: `00-${'a'.repeat(32)}-${'b'.repeat(16)}-01`,
    }
    const input = { ...options, payload: { to: 'ada', lines: [1, null, true] }, delayMs: HOUR, kind: 'job' }
    const { id, ...rest } = await ok<EnqueueResult>(server, 'enqueue', input)
    expect(rest).toEqual({ status: 'scheduled', deduplicated: false })
    const job = await ok<{ runAt: number; createdAt: number }>(server, 'get', { id })
    expect(job).toEqual({ ...summary({ ...options, id, status: 'scheduled' }), payload: input.payload, result: null })
    expect(job.runAt - job.createdAt).toBe(HOUR)
  })

  it('enqueue stores the key of a group, and refuses an unknown field', async () => {
    const server = await openServer()
    const { id } = await ok<{ id: string }>(server, 'enqueue', { type: 'mail', payload: 1, group: 'customer-3' })
    expect(await ok(server, 'get', { id })).toMatchObject({ groupName: 'mail', groupKey: 'customer-3' })
    const other = await refused(server, 'enqueue', { type: 'mail', payload: 1, colour: 'red' })
    expect(other).toMatchObject({ status: 400, message: expect.stringContaining('colour') })
    expect((await server.engine.counts()).pending).toBe(1)
  })

  it('enqueue accepts runAt or delayMs, and not both', async () => {
    const server = await openServer()
    const runAt = limits.instant - DAY
    const { id } = await ok<EnqueueResult>(server, 'enqueue', { type: 'mail', payload: null, runAt })
    expect(await ok(server, 'get', { id })).toMatchObject({ status: 'scheduled', runAt })
    const refusal = await refused(server, 'enqueue', { type: 'mail', payload: null, runAt, delayMs: 1 })
    expect(refusal).toMatchObject({ status: 400, message: 'delayMs: use either delayMs or runAt, not both' })
    expect(await server.engine.counts()).toMatchObject({ scheduled: 1, pending: 0 })
  })

  it('enqueue returns the same job for the same dedupe key', async () => {
    const server = await openServer()
    const ask = () => ok<EnqueueResult>(server, 'enqueue', { type: 'mail', payload: 1, dedupeKey: 'order-9' })
    const first = await ask()
    expect([first, await ask()]).toEqual([enqueued(false), enqueued(true, first.id)])
    expect((await server.engine.counts()).pending).toBe(1)
  })

  it('enqueue refuses another kind for an existing type', async () => {
    const server = await openServer()
    await ok(server, 'enqueue', { type: 'mail', payload: 1, kind: 'message' })
    const refusal = await refused(server, 'enqueue', { type: 'mail', payload: 2 })
    expect(refusal).toMatchObject({ status: 409, code: 'WRONG_STATE', details: { type: 'mail' } })
    expect((await server.engine.counts()).pending).toBe(1)
  })

  it('enqueue refuses a job without a payload, but accepts null', async () => {
    const server = await openServer()
    const refusal = await refused(server, 'enqueue', { type: 'mail' })
    expect([refusal.status, refusal.message]).toEqual([400, expect.stringMatching(/^payload: /)])
    expect(await ok(server, 'enqueue', { type: 'mail', payload: null })).toEqual(enqueued(false))
  })

  it('enqueue refuses an empty body like an empty object, and names the missing fields', async () => {
    const server = await openServer()
    const { message } = await refused(server, 'enqueue')
    expect(message).toMatch(/^type: .*; payload: /)
  })
})

describeApi('enqueueMany', ({ openServer }) => {
  it('enqueueMany stores a thousand jobs and no more', async () => {
    const server = await openServer()
    const jobs = Array.from({ length: limits.enqueueMany }, (_, n) => ({ type: 'mail', payload: { n } }))
    const results = await ok<EnqueueResult[]>(server, 'enqueueMany', { jobs })
    expect(new Set(results.map(({ id }) => id)).size).toBe(1_000)
    const refusal = await refused(server, 'enqueueMany', { jobs: [...jobs, { type: 'mail', payload: 0 }] })
    expect([refusal.status, refusal.message]).toEqual([400, expect.stringMatching(/^jobs: /)])
    expect((await server.engine.counts()).pending).toBe(1_000)
  })

  it('enqueueMany stores nothing when one job is too large, and names it', async () => {
    const server = await openServer({ MAX_PAYLOAD_BYTES: '100' })
    const jobs = ['a', 'b'.repeat(200), 'c'].map((payload) => ({ type: 'mail', payload }))
    const refusal = await refused(server, 'enqueueMany', { jobs })
    expect(refusal).toMatchObject({ status: 413, code: 'TOO_LARGE', details: { bytes: 202, maxBytes: 100 } })
    expect(refusal.message).toContain('jobs.1.payload')
    expect((await server.engine.counts()).pending).toBe(0)
  })

  it('enqueueMany stores nothing when one job has another kind than its type', async () => {
    const server = await openServer()
    await ok(server, 'enqueue', { type: 'sms', payload: 1, kind: 'message' })
    const jobs = [
      { type: 'mail', payload: 1 },
      { type: 'sms', payload: 2 },
    ]
    expect(await refused(server, 'enqueueMany', { jobs })).toMatchObject({ status: 409, code: 'WRONG_STATE' })
    expect((await server.engine.stats()).byType).toEqual({ sms: expect.objectContaining({ pending: 1 }) })
  })

  it('enqueueMany marks repeated dedupe keys, also within one call', async () => {
    const server = await openServer()
    const job = { type: 'mail', payload: 1, dedupeKey: 'order-9' }
    const [first, ...others] = await ok<EnqueueResult[]>(server, 'enqueueMany', {
      jobs: [job, job, { ...job, dedupeKey: 'order-10' }],
    })
    expect([first, ...others]).toEqual([enqueued(false), enqueued(true, first?.id), enqueued(false)])
    expect(await ok(server, 'list')).toEqual({
      jobs: ['order-10', 'order-9'].map((dedupeKey) => summary({ dedupeKey, dedupeUntil: 'removed' })),
      nextCursor: null,
      total: 2,
    })
    expect(first?.id).not.toBe(others[1]?.id)
  })
})
