/** The scheduler: jobs become ready at their due time, and the database is not polled while nothing is due. */
import { expect, it } from 'vitest'
import type { Engine } from '../../../server/engine/engine.ts'
import { EXPIRED_ERROR } from '../../../shared/job-errors.ts'
import { HOUR, MINUTE, SECOND } from '../../../shared/limits.ts'
import { add, addMany, describeEngine, held, started } from '../../support/engine.ts'

const statusOf = async (engine: Engine, id: string) => (await engine.get({ id })).status

describeEngine('Scheduler', (open) => {
  it.each([40, 29_000, 100_000, 10 * MINUTE])(
    'the scheduler makes a job ready after %i ms, not before',
    async (delayMs) => {
      const { engine, clock } = await started(open())
      const id = await add(engine, { delayMs })
      await clock.advance(delayMs - 1)
      expect(await statusOf(engine, id)).toBe('scheduled')
      await clock.advance(1)
      expect(await statusOf(engine, id)).toBe('pending')
    },
  )

  it('the scheduler promotes an earlier job that is enqueued later', async () => {
    const { engine, clock } = await started(open())
    const late = await add(engine, { delayMs: 20 * SECOND })
    await clock.advance(5 * SECOND)
    const early = await add(engine, { runAt: clock.now() + 2 * SECOND })
    await clock.advance(2 * SECOND)
    expect([await statusOf(engine, early), await statusOf(engine, late)]).toEqual(['pending', 'scheduled'])
    await clock.advance(13 * SECOND)
    expect(await statusOf(engine, late)).toBe('pending')
  })

  it('a job with a past runAt runs after jobs that have waited longer', async () => {
    const { engine, clock } = await started(open())
    const older = await add(engine)
    await clock.advance(SECOND)
    const backdated = await add(engine, { runAt: clock.now() - HOUR })
    const many = await engine.enqueueMany({ jobs: [{ type: 'mail', payload: 1, runAt: 0 }] })
    expect(await engine.get({ id: backdated })).toMatchObject({ status: 'pending', runAt: clock.now() })
    const claimed = await engine.claim({ worker: 'w', types: ['mail'], limit: 3 })
    expect(claimed.map(({ id }) => id)).toEqual([older, backdated, ...many.map(({ id }) => id)])
  })

  it('the scheduler makes a failed job ready when its backoff is over', async () => {
    const { engine, clock } = await started(open())
    const job = await held(engine, { backoff: { kind: 'fixed', baseMs: 12_000, jitter: 0 } })
    const settled = await engine.fail({ id: job.id, version: job.version, error: 'no route' })
    expect(settled).toMatchObject({ status: 'retrying', runAt: clock.now() + 12_000 })
    await clock.advance(11_999)
    expect(await statusOf(engine, job.id)).toBe('retrying')
    await clock.advance(1)
    expect(await statusOf(engine, job.id)).toBe('pending')
  })

  it('the scheduler promotes all jobs that become due at once', async () => {
    const { engine, clock } = await started(open())
    for (let n = 0; n < 3; n++) await addMany(engine, 900, { delayMs: 10 * SECOND })
    await clock.advance(10 * SECOND)
    expect((await engine.stats()).counts).toMatchObject({ scheduled: 0, pending: 2_700 })
  })

  it('the scheduler expires a job that was not claimed in time', async () => {
    const { engine, clock } = await started(open())
    const expiresAt = clock.now() + 45 * SECOND
    const ready = await add(engine, { expiresAt })
    const scheduled = await add(engine, { expiresAt, delayMs: HOUR })
    const running = await held(engine, { type: 'call', expiresAt })
    await clock.advance(45 * SECOND - 1)
    expect([await statusOf(engine, ready), await statusOf(engine, scheduled)]).toEqual(['pending', 'scheduled'])
    await clock.advance(1)
    expect([await statusOf(engine, ready), await statusOf(engine, scheduled)]).toEqual(['cancelled', 'cancelled'])
    expect((await engine.get({ id: ready })).error).toBe(EXPIRED_ERROR)
    expect(await statusOf(engine, running.id)).toBe('processing')
  })

  it('the scheduler promotes jobs that became due while no engine ran', async () => {
    const { engine, clock } = await open()
    const id = await add(engine, { delayMs: SECOND })
    await clock.advance(MINUTE)
    expect(await statusOf(engine, id)).toBe('scheduled')
    engine.start()
    await clock.advance(0)
    expect(await statusOf(engine, id)).toBe('pending')
  })

  it('the scheduler reads the database only every half minute while nothing is due', async () => {
    const { engine, store, clock } = await started(open())
    await add(engine, { delayMs: HOUR })
    await clock.advance(MINUTE)
    store.reset()
    await clock.advance(10 * MINUTE)
    expect(store.count('promote')).toBeLessThanOrEqual(20)
    expect(store.count('rescue')).toBeLessThanOrEqual(20)
    expect(store.count('lead')).toBeLessThanOrEqual(600)
    expect(store.count('cleanup')).toBeLessThanOrEqual(10)
    const kinds = new Set(store.committed.flat().map(({ kind }) => kind))
    expect(kinds).toEqual(new Set(['promote', 'rescue', 'lead', 'cleanup', 'trim', 'admitBlocked', 'recordDepths']))
    expect(store.calls('nextDue')).toBeLessThanOrEqual(40)
    // On every renewal of leadership, because another process may have started one.
    expect(store.calls('openBulks')).toBeLessThanOrEqual(store.count('lead'))
    expect(store.calls('changedElsewhere')).toBe(0)
  })

  it('the scheduler notices within half a minute that the clock was set forward', async () => {
    const { engine, clock } = await started(open())
    const id = await add(engine, { delayMs: HOUR })
    clock.jump(HOUR)
    await clock.advance(30 * SECOND)
    expect(await statusOf(engine, id)).toBe('pending')
  })

  it('the scheduler follows the wall clock when it was set back', async () => {
    const { engine, clock } = await started(open())
    const id = await add(engine, { delayMs: MINUTE })
    clock.jump(-5 * MINUTE)
    await clock.advance(5 * MINUTE)
    expect(await statusOf(engine, id)).toBe('scheduled')
    await clock.advance(MINUTE)
    expect(await statusOf(engine, id)).toBe('pending')
  })
})
