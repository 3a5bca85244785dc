/** Types of results, compared with the values at run time. */
import { expect, expectTypeOf, it } from 'vitest'
import type { Engine } from '../../../server/index.ts'
import type { ClaimedJob, EnqueueResult, Job, SettleResult } from '../../../shared/job.ts'
import type { Status } from '../../../shared/status.ts'
import { add, describeEngine, held, take } from '../../support/engine.ts'

describeEngine('types', (open) => {
  it('the type of an enqueue result matches its value', async () => {
    const { engine } = await open()
    const result = await engine.enqueue({ type: 'mail', payload: { to: 'ada' } })
    expectTypeOf(result).toEqualTypeOf<EnqueueResult>()
    expectTypeOf(engine.enqueueMany).returns.resolves.toEqualTypeOf<readonly EnqueueResult[]>()
    expectTypeOf<Parameters<Engine['enqueue']>[0]>().toHaveProperty('payload').toBeUnknown()
    expect(result).toEqual({ id: expect.any(String), status: 'pending', deduplicated: false })
  })

  it('the type of a claimed job matches its value, and its payload is unknown', async () => {
    const { engine } = await open()
    await add(engine, { traceparent: '00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01' })
    const job = await take(engine)
    expectTypeOf(job).toEqualTypeOf<ClaimedJob>()
    expectTypeOf(job.payload).toBeUnknown()
    expectTypeOf(job.timeoutMs).toEqualTypeOf<number | null>()
    const types = Object.fromEntries(
      Object.entries(job).map(([key, value]) => [key, value === null ? null : typeof value]),
    )
    expect(types).toEqual({
      id: 'string',
      seq: 'number',
      type: 'string',
      payload: 'object',
      version: 'number',
      attempts: 'number',
      maxAttempts: 'number',
      crashes: 'number',
      priority: 'number',
      runAt: 'number',
      createdAt: 'number',
      startedAt: 'number',
      leaseUntil: 'number',
      timeoutMs: null,
      traceparent: 'string',
      tick: null,
    } satisfies Record<keyof ClaimedJob, string | null>)
  })

  it('the type of outcomes is discriminated by status', async () => {
    const { engine } = await open()
    const job = await held(engine)
    const settled = await engine.complete({ id: job.id, version: job.version, result: [1, 2] })
    expectTypeOf(settled).toEqualTypeOf<SettleResult>()
    expectTypeOf(settled.status).toEqualTypeOf<Status>()
    const [outcome] = (await engine.result({ ids: [job.id] })).outcomes
    if (outcome?.status === 'completed') expectTypeOf(outcome.result).toBeUnknown()
    if (outcome?.status === 'failed') expectTypeOf(outcome.error).toEqualTypeOf<string | null>()
    if (outcome?.status === 'missing')
      expectTypeOf(outcome).toEqualTypeOf<{ readonly id: string; readonly status: 'missing' }>()
    expect(outcome).toEqual({ id: job.id, status: 'completed', result: [1, 2] })
  })

  it('the types of a job and of counts match their values', async () => {
    const { engine } = await open()
    const job = await engine.get({ id: await add(engine) })
    expectTypeOf(job).toEqualTypeOf<Job>()
    const { counts } = await engine.stats()
    expectTypeOf(counts).toEqualTypeOf<Record<Status, number>>()
    expect([job.status, Object.values(counts).every(Number.isInteger)]).toEqual(['pending', true])
  })
})
