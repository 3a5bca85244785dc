/** The grace period: when heartbeats may have been lost on the server side, every lease is renewed once before a rescue. */
import { expect, it } from 'vitest'
import type { Engine } from '../../../server/engine/engine.ts'
import { StoreBusy } from '../../../server/store/store.ts'
import { HOUR, SECOND } from '../../../shared/limits.ts'
import { add, describeEngine, held, type Opened, started } from '../../support/engine.ts'

const LEASE_MS = 6 * SECOND
const lease = { leaseMs: LEASE_MS }

/** Expects that the job is still claimed, and rescued after one more lease without a heartbeat. */
async function expectOneFreePeriod({ engine, clock }: Opened, id: string): Promise<void> {
  const { status, crashes, leaseUntil } = await engine.get({ id })
  expect([status, crashes]).toEqual(['processing', 0])
  const leftMs = (leaseUntil ?? 0) - clock.now()
  expect(leftMs).toBeGreaterThan(0)
  expect(leftMs).toBeLessThanOrEqual(LEASE_MS)
  await clock.advance(leftMs - 1)
  expect((await engine.get({ id })).status).toBe('processing')
  await clock.advance(1)
  expect(await engine.get({ id })).toMatchObject({ status: 'pending', crashes: 1 })
}

const crashesOf = async (engine: Engine, id: string) => (await engine.get({ id })).crashes

describeEngine('grace period of leases', (open) => {
  it('leases get a grace period when upkeep starts', async () => {
    const opened = await open()
    const { id } = await held(opened.engine, {}, lease)
    await opened.clock.advance(HOUR)
    opened.engine.start()
    await opened.clock.advance(0)
    await expectOneFreePeriod(opened, id)
  })

  it('leases get a grace period when another engine takes over upkeep', async () => {
    const first = await started(open())
    const second = await started(first.another())
    const { id } = await held(first.engine, {}, lease)
    await first.clock.advance(LEASE_MS - SECOND)
    await first.engine.stop()
    await first.clock.advance(5 * SECOND)
    expect([first.engine.isLeader, second.engine.isLeader]).toEqual([false, true])
    await expectOneFreePeriod(second, id)
  })

  it('leases get a grace period after the event loop was stalled', async () => {
    const opened = await started(open())
    const { id } = await held(opened.engine, {}, lease)
    opened.clock.stall(20 * SECOND)
    await opened.clock.advance(LEASE_MS)
    await expectOneFreePeriod(opened, id)
  })

  it('leases get no grace period for a stall shorter than the tolerance', async () => {
    const { engine, clock } = await started(open())
    const { id } = await held(engine, {}, lease)
    clock.stall(500)
    await clock.advance(LEASE_MS)
    expect(await crashesOf(engine, id)).toBe(1)
  })

  it.each([HOUR, 24 * HOUR])('leases get a grace period after the clock was set forward by %i ms', async (jumpMs) => {
    const opened = await started(open())
    const { id } = await held(opened.engine, {}, lease)
    opened.clock.jump(jumpMs)
    await opened.clock.advance(LEASE_MS)
    await expectOneFreePeriod(opened, id)
  })

  it.each([HOUR, 24 * HOUR])('leases get one grace period after the clock was set back by %i ms', async (jumpMs) => {
    const opened = await started(open())
    const { id } = await held(opened.engine, {}, lease)
    opened.clock.jump(-jumpMs)
    await opened.clock.advance(LEASE_MS)
    await expectOneFreePeriod(opened, id)
  })

  it('leases get one grace period per clock jump', async () => {
    const { engine, store, clock } = await started(open())
    await held(engine, {}, { leaseMs: HOUR })
    store.reset()
    clock.jump(HOUR)
    await clock.advance(10 * 60 * SECOND)
    expect(store.count('renewLeases')).toBe(1)
  })

  it('leases get a grace period after the database was unavailable', async () => {
    const { engine, store, clock } = await started(open())
    const { id } = await held(engine, {}, lease)
    store.fault = () => new StoreBusy('another process is writing')
    const waiting = add(engine)
    await clock.advance(4 * SECOND)
    store.fault = null
    await clock.advance(50)
    await waiting
    const { leaseUntil } = await engine.get({ id })
    expect(leaseUntil).toBeGreaterThan(clock.now() + LEASE_MS - 100)
    await clock.advance(LEASE_MS)
    expect(await crashesOf(engine, id)).toBe(1)
  })

  it('a lease that expired while the database was unavailable gets a grace period', async () => {
    const { engine, store, clock } = await started(open())
    const { id } = await held(engine, {}, lease)
    store.fault = () => new StoreBusy('another process is writing')
    await clock.advance(LEASE_MS + 4 * SECOND)
    store.fault = null
    await clock.advance(1_100)
    expect(await engine.get({ id })).toMatchObject({ status: 'processing', crashes: 0 })
    await clock.advance(LEASE_MS)
    expect(await crashesOf(engine, id)).toBe(1)
  })

  it('a lease that expires at the moment the database comes back gets a grace period', async () => {
    const { engine, store, clock } = await started(open())
    const { id } = await held(engine, {}, lease)
    store.fault = () => new StoreBusy('another process is writing')
    const waiting = add(engine)
    await clock.advance(LEASE_MS)
    store.fault = null
    await clock.advance(50)
    await waiting
    expect(await engine.get({ id })).toMatchObject({ status: 'processing', crashes: 0 })
    await clock.advance(LEASE_MS)
    expect(await crashesOf(engine, id)).toBe(1)
  })

  it('leases get no grace period for a short wait', async () => {
    const { engine, store, clock } = await started(open())
    const { id } = await held(engine, {}, lease)
    store.fault = () => new StoreBusy('another process is writing')
    const waiting = add(engine)
    await clock.advance(200)
    store.fault = null
    await clock.advance(LEASE_MS - 200)
    await waiting
    expect(await crashesOf(engine, id)).toBe(1)
  })
})
