/** Cancelling: a waiting job stops at once, a running one is asked to and keeps its slot and fence until it answers. */
import { expect, it } from 'vitest'
import { SECOND } from '../../../shared/limits.ts'
import { add, describeEngine, held, refused, started } from '../../support/engine.ts'

const beat = ({ id, version }: { readonly id: string; readonly version: number }) => ({
  worker: 'worker-1',
  leases: [{ id, version }],
})

describeEngine('cancel', (open) => {
  it('stops a job that waits, whatever it waits for', async () => {
    const { engine } = await open()
    const failed = await held(engine)
    await engine.fail({ id: failed.id, version: failed.version, error: 'no route', retryInMs: 60_000 })
    const jobs = [await add(engine), await add(engine, { delayMs: 60_000 }), failed.id]
    for (const id of jobs) expect(await engine.cancel({ id })).toEqual({ id, status: 'cancelled', changed: true })
    expect(await engine.claim({ worker: 'worker-1' })).toEqual([])
    expect((await engine.stats()).counts).toMatchObject({ cancelled: 3, pending: 0, scheduled: 0, retrying: 0 })
  })

  it('reaches the worker of a running job with its next heartbeat, which still extends the lease', async () => {
    const { engine, clock } = await started(open())
    const job = await held(engine, {}, { leaseMs: 3 * SECOND })
    expect(await engine.cancel({ id: job.id })).toEqual({ id: job.id, status: 'processing', changed: true })
    for (let n = 0; n < 3; n++) {
      await clock.advance(2 * SECOND)
      expect(await engine.heartbeat(beat(job))).toMatchObject({ extended: [], lost: [], cancelled: [job.id] })
    }
    expect((await engine.get({ id: job.id })).status).toBe('processing')
  })

  it('keeps the slot of a running job until it answers', async () => {
    const { engine } = await open()
    await engine.declareTypes({ types: [{ name: 'mail', settings: { maxConcurrency: 1 } }] })
    const job = await held(engine)
    await add(engine)
    await engine.cancel({ id: job.id })
    expect(await engine.claim({ worker: 'worker-2' })).toEqual([])
    await engine.fail({ id: job.id, version: job.version, error: 'stopped' })
    expect(await engine.claim({ worker: 'worker-2' })).toHaveLength(1)
  })

  it('lets a complete win', async () => {
    const { engine } = await open()
    const job = await held(engine)
    await engine.cancel({ id: job.id })
    const settled = await engine.complete({ id: job.id, version: job.version, result: 'done' })
    expect([settled.status, (await engine.get({ id: job.id })).result]).toEqual(['completed', 'done'])
  })

  it('ends a job that fails, however many attempts are left', async () => {
    const { engine } = await open()
    const job = await held(engine, { maxAttempts: 10 })
    await engine.cancel({ id: job.id })
    const settled = await engine.fail({ id: job.id, version: job.version, error: 'stopped' })
    expect(settled).toMatchObject({ status: 'cancelled', runAt: null })
    expect((await engine.get({ id: job.id })).error).toBe('stopped')
  })

  it('ends a job that is given back', async () => {
    const { engine } = await open()
    const job = await held(engine)
    await engine.cancel({ id: job.id })
    expect((await engine.release({ id: job.id, version: job.version })).status).toBe('cancelled')
  })

  it('ends a job whose worker never answers when its lease ends', async () => {
    const { engine, clock } = await started(open())
    const job = await held(engine, {}, { leaseMs: 3 * SECOND })
    await engine.cancel({ id: job.id })
    await clock.advance(3 * SECOND)
    expect(await engine.get({ id: job.id })).toMatchObject({ status: 'cancelled', crashes: 1, cancelRequestedAt: null })
    expect((await refused(engine.complete({ id: job.id, version: job.version }))).code).toBe('STALE_CLAIM')
  })

  it('changes nothing the second time, and refuses what is finished', async () => {
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

  it('can be taken back by a retry, from the first attempt', async () => {
    const { engine } = await open()
    const job = await held(engine)
    await engine.cancel({ id: job.id })
    await engine.fail({ id: job.id, version: job.version, error: 'stopped' })
    await engine.retry({ id: job.id })
    expect(await engine.get({ id: job.id })).toMatchObject({ status: 'pending', attempts: 0, version: 1 })
  })
})
