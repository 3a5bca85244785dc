/** Cancelling: a waiting job ends at once; a running job keeps its slot and claim until its worker settles it. */
import { expect, it } from 'vitest'
import { SECOND } from '../../../shared/limits.ts'
import { add, describeEngine, held, refused, started } from '../../support/engine.ts'

const beat = ({ id, version }: { readonly id: string; readonly version: number }) => ({
  worker: 'worker-1',
  leases: [{ id, version }],
})

describeEngine('cancel', (open) => {
  it('cancel ends a pending, scheduled or retrying job at once', async () => {
    const { engine } = await open()
    const failed = await held(engine)
    await engine.fail({ id: failed.id, version: failed.version, error: 'no route', retryInMs: 60_000 })
    const jobs = [await add(engine), await add(engine, { delayMs: 60_000 }), failed.id]
    for (const id of jobs) expect(await engine.cancel({ id })).toEqual({ id, status: 'cancelled', changed: true })
    expect(await engine.claim({ worker: 'worker-1' })).toEqual([])
    expect((await engine.stats()).counts).toMatchObject({ cancelled: 3, pending: 0, scheduled: 0, retrying: 0 })
  })

  it('cancel of a running job is reported by the next heartbeat, which still extends the lease', async () => {
    const { engine, clock } = await started(open())
    const job = await held(engine, {}, { leaseMs: 3 * SECOND })
    expect(await engine.cancel({ id: job.id })).toEqual({ id: job.id, status: 'processing', changed: true })
    for (let n = 0; n < 3; n++) {
      await clock.advance(2 * SECOND)
      expect(await engine.heartbeat(beat(job))).toMatchObject({ extended: [], lost: [], cancelled: [job.id] })
    }
    expect((await engine.get({ id: job.id })).status).toBe('processing')
  })

  it('a cancelled running job keeps its concurrency slot until its worker settles it', async () => {
    const { engine } = await open()
    await engine.declareTypes({ types: [{ name: 'mail', settings: { maxConcurrency: 1 } }] })
    const job = await held(engine)
    await add(engine)
    await engine.cancel({ id: job.id })
    expect(await engine.claim({ worker: 'worker-2' })).toEqual([])
    await engine.fail({ id: job.id, version: job.version, error: 'stopped' })
    expect(await engine.claim({ worker: 'worker-2' })).toHaveLength(1)
  })

  it('a complete after a cancel request still completes the job', async () => {
    const { engine } = await open()
    const job = await held(engine)
    await engine.cancel({ id: job.id })
    const settled = await engine.complete({ id: job.id, version: job.version, result: 'done' })
    expect([settled.status, (await engine.get({ id: job.id })).result]).toEqual(['completed', 'done'])
  })

  it('a fail after a cancel request cancels the job, even with attempts left', async () => {
    const { engine } = await open()
    const job = await held(engine, { maxAttempts: 10 })
    await engine.cancel({ id: job.id })
    const settled = await engine.fail({ id: job.id, version: job.version, error: 'stopped' })
    expect(settled).toMatchObject({ status: 'cancelled', runAt: null })
    expect((await engine.get({ id: job.id })).error).toBe('stopped')
  })

  it('a release after a cancel request cancels the job', async () => {
    const { engine } = await open()
    const job = await held(engine)
    await engine.cancel({ id: job.id })
    expect((await engine.release({ id: job.id, version: job.version })).status).toBe('cancelled')
  })

  it('cancel of a running job takes effect when its lease expires without a settle', async () => {
    const { engine, clock } = await started(open())
    const job = await held(engine, {}, { leaseMs: 3 * SECOND })
    await engine.cancel({ id: job.id })
    await clock.advance(3 * SECOND)
    expect(await engine.get({ id: job.id })).toMatchObject({ status: 'cancelled', crashes: 1, cancelRequestedAt: null })
    expect((await refused(engine.complete({ id: job.id, version: job.version }))).code).toBe('STALE_CLAIM')
  })

  it('a second cancel changes nothing, and cancel refuses a completed job', async () => {
    const { engine } = await open()
    const job = await held(engine)
    await engine.cancel({ id: job.id })
    expect(await engine.cancel({ id: job.id })).toMatchObject({ status: 'processing', changed: false })
    await engine.complete({ id: job.id, version: job.version })
    expect((await refused(engine.cancel({ id: job.id }))).code).toBe('WRONG_STATE')
    const other = await add(engine)
    await engine.cancel({ id: other })
    expect(await engine.cancel({ id: other })).toMatchObject({ status: 'cancelled', changed: false })
  })

  it('retry of a cancelled job starts again at the first attempt', async () => {
    const { engine } = await open()
    const job = await held(engine)
    await engine.cancel({ id: job.id })
    await engine.fail({ id: job.id, version: job.version, error: 'stopped' })
    await engine.retry({ id: job.id })
    expect(await engine.get({ id: job.id })).toMatchObject({ status: 'pending', attempts: 0, version: 1 })
  })
})
