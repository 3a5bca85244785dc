/** The rescuer: returns a job to the queue when its lease expires, and fails it after too many crashes. */

import { expect, it } from 'vitest'
import type { Engine } from '../../../server/engine/engine.ts'
import { CRASH_ERROR } from '../../../shared/job-errors.ts'
import { TIMEOUT_GRACE_MS } from '../../../shared/lease-end.ts'
import { setAsideError } from '../../../shared/lifecycle.ts'
import { SECOND } from '../../../shared/limits.ts'
import { add, addMany, describeEngine, held, refused, started, take } from '../../support/engine.ts'
import { settle } from '../../support/test-clock.ts'

const look = async (engine: Engine, id: string) => {
  const { status, attempts, crashes } = await engine.get({ id })
  return { status, attempts, crashes }
}

describeEngine('Rescuer', (open) => {
  it('the rescuer returns a job to the queue when its lease expires, not before', async () => {
    const { engine, clock } = await started(open())
    const { id, version } = await held(engine, {}, { leaseMs: 8 * SECOND })
    await clock.advance(8 * SECOND - 1)
    expect(await look(engine, id)).toEqual({ status: 'processing', attempts: 1, crashes: 0 })
    await clock.advance(1)
    expect(await look(engine, id)).toEqual({ status: 'pending', attempts: 1, crashes: 1 })
    expect((await refused(engine.complete({ id, version }))).code).toBe('STALE_CLAIM')
    const [attempt] = await engine.attempts({ id })
    expect(attempt).toMatchObject({ outcome: 'crashed', error: CRASH_ERROR, worker: 'worker-1' })
  })

  it('the rescuer rescues many jobs at once and logs the number', async () => {
    const warnings: string[] = []
    const { engine, clock } = await started(open({ onWarning: (message) => warnings.push(message) }))
    await addMany(engine, 500)
    for (let n = 0; n < 5; n++) await engine.claim({ worker: `worker-${n}`, limit: 100, leaseMs: 3 * SECOND })
    await clock.advance(3 * SECOND)
    expect((await engine.stats()).counts).toMatchObject({ processing: 0, pending: 500 })
    expect(warnings).toEqual(['Recovered 500 stale tasks'])
  })

  it('the rescuer fails a job that has used up the crash budget of its type', async () => {
    const { engine, clock } = await started(open())
    const id = await add(engine, { maxAttempts: 10 })
    for (let crash = 1; crash <= 3; crash++) {
      const { version } = await take(engine, { leaseMs: SECOND })
      await engine.heartbeat({ worker: 'worker-1', leases: [{ id, version }] })
      await clock.advance(SECOND)
      expect((await look(engine, id)).crashes).toBe(crash)
    }
    expect(await engine.get({ id })).toMatchObject({ status: 'failed', attempts: 3, error: setAsideError(3) })
  })

  it('the rescuer does not fail a job after three lost claim responses, at default settings', async () => {
    const { engine, clock } = await started(open())
    const id = await add(engine)
    for (let lost = 1; lost <= 3; lost++) {
      await take(engine, { leaseMs: SECOND })
      await clock.advance(SECOND)
      expect(await look(engine, id)).toEqual({ status: 'pending', attempts: 1, crashes: 1 })
    }
  })

  it('the rescuer fails a job that has used up its attempts', async () => {
    const { engine, clock } = await started(open())
    const { id } = await held(engine, { maxAttempts: 1 }, { leaseMs: SECOND })
    await clock.advance(SECOND)
    expect(await look(engine, id)).toEqual({ status: 'failed', attempts: 1, crashes: 1 })
  })

  it('the rescuer skips a job whose worker sends heartbeats', async () => {
    const { engine, clock } = await started(open())
    const { id, version } = await held(engine, {}, { leaseMs: 3 * SECOND })
    for (let beat = 0; beat < 10; beat++) {
      await clock.advance(2 * SECOND)
      const outcome = await engine.heartbeat({ worker: 'worker-1', leases: [{ id, version }] })
      expect(outcome).toEqual({ extended: [id], lost: [], cancelled: [], draining: false })
    }
    expect(await look(engine, id)).toEqual({ status: 'processing', attempts: 1, crashes: 0 })
    await clock.advance(3 * SECOND)
    expect((await look(engine, id)).status).toBe('pending')
    expect((await engine.heartbeat({ worker: 'worker-1', leases: [{ id, version }] })).lost).toEqual([id])
  })

  it('a lease ends at the deadline of the attempt plus the time to report it', async () => {
    const { engine, clock } = await started(open())
    const { id, version } = await held(engine, { timeoutMs: 5 * SECOND }, { leaseMs: 3 * SECOND })
    await clock.advance(2 * SECOND)
    await engine.heartbeat({ worker: 'worker-1', leases: [{ id, version }], leaseMs: 60 * SECOND })
    await clock.advance(3 * SECOND + TIMEOUT_GRACE_MS - 1)
    expect((await look(engine, id)).status).toBe('processing')
    await clock.advance(1)
    expect(await look(engine, id)).toEqual({ status: 'pending', attempts: 1, crashes: 1 })
  })

  it('the rescuer runs after a heartbeat that is already queued', async () => {
    const { engine, store, clock } = await started(open())
    const { id, version } = await held(engine, {}, { leaseMs: SECOND })
    store.hold()
    const other = add(engine)
    await settle()
    const beat = engine.heartbeat({ worker: 'worker-1', leases: [{ id, version }] })
    await clock.advance(SECOND)
    store.letGo()
    expect((await beat).extended).toEqual([id])
    await other
    await settle()
    expect(await look(engine, id)).toEqual({ status: 'processing', attempts: 1, crashes: 0 })
  })

  it('a late complete is accepted while no other worker has claimed the rescued job', async () => {
    const { engine, clock } = await open()
    const { id, version } = await held(engine, {}, { leaseMs: SECOND })
    await clock.advance(60 * SECOND)
    expect((await engine.complete({ id, version })).status).toBe('completed')
  })

  it('the rescuer rescues a job that was claimed through another engine within seconds', async () => {
    const { engine, clock, another } = await started(open())
    const { engine: other } = await another()
    const { id } = await held(other, {}, { leaseMs: 2 * SECOND })
    await clock.advance(7 * SECOND)
    expect(await look(engine, id)).toEqual({ status: 'pending', attempts: 1, crashes: 1 })
  })
})
