/** Timeouts of jobs from /api/queue: one retry, then failed. */
import { expect, it } from 'vitest'
import { jsonQueueAdapter } from '../../server/http/rest/json-queue.ts'
import { CRASH_ERROR, TIMED_OUT_ERROR } from '../../shared/job-errors.ts'
import { SECOND } from '../../shared/limits.ts'
import { describeEngine, started } from '../support/engine.ts'
import { bodyOf, restRequest } from './send.ts'

describeEngine('a job of /api/queue', (open) => {
  it('a job of /api/queue is pending again after its first timeout and failed after its second', async () => {
    const { engine, clock } = await started(open({ defaults: { leaseMs: 10 * SECOND } }))
    const call = (request: string, body?: unknown) => jsonQueueAdapter(engine, restRequest(request, body))
    const { id } = await bodyOf<{ id: string }>(call('POST /', { type: 'image', data: {} }))
    expect(await bodyOf(call('GET /'))).toMatchObject({ id, version: 1, attempt: 1 })
    await clock.advance(10 * SECOND)
    expect(await engine.get({ id })).toMatchObject({ status: 'pending', attempts: 1, error: CRASH_ERROR })
    expect(await bodyOf(call('GET /'))).toMatchObject({ id, version: 2, attempt: 2 })
    // The worker of the first claim is late; without a version its request would settle the second claim.
    const late = call(`PUT /${id}`, { status: 'completed', version: 1 })
    await expect(late).rejects.toMatchObject({ code: 'NOT_FOUND', message: 'Job not found or not active' })
    await clock.advance(10 * SECOND)
    expect(await engine.get({ id })).toMatchObject({ status: 'failed', attempts: 2, error: TIMED_OUT_ERROR })
    expect((await engine.attempts({ id })).map(({ outcome, error }) => [outcome, error])).toEqual([
      ['crashed', CRASH_ERROR],
      ['crashed', TIMED_OUT_ERROR],
    ])
    expect(await call('GET /')).toEqual({ status: 204 })
    await expect(call(`PUT /${id}`, { status: 'completed' })).rejects.toMatchObject({ code: 'NOT_FOUND' })
  })

  it('a job that was enqueued through another API keeps its own retry rules', async () => {
    const { engine, clock } = await started(open({ defaults: { leaseMs: 10 * SECOND } }))
    const { id } = await engine.enqueue({ type: 'image', payload: {}, maxAttempts: 2 })
    for (const version of [1, 2, 3]) {
      expect(await bodyOf(jsonQueueAdapter(engine, restRequest('GET /')))).toMatchObject({ id, version })
      await clock.advance(10 * SECOND)
    }
    expect(await engine.get({ id })).toMatchObject({ status: 'pending', attempts: 1, crashes: 1, error: CRASH_ERROR })
  })
})
