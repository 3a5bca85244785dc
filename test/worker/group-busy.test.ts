/** `GroupBusy`: releases the job uncounted and holds the other jobs of its key. */
import { describe, expect, it, onTestFinished } from 'vitest'
import { openRemoteQueue } from '../../server/sdk/remote/remote-queue.ts'
import { failureOf } from '../../server/worker/jobs/outcome.ts'
import { startWorker } from '../../server/worker/start-worker.ts'
import { GroupBusy } from '../../shared/group-busy.ts'
import { limits, MINUTE, SECOND } from '../../shared/limits.ts'
import { add, describeEngine, until } from '../support/engine.ts'
import { describeServer, type TestServer } from '../support/server.ts'
import { withWorker } from '../support/worker.ts'

const homes: [string, (server: TestServer) => TestServer['engine'] | ReturnType<typeof openRemoteQueue>][] = [
  ['on the database', ({ engine }) => engine],
  ['through the server', ({ url }) => openRemoteQueue({ url })],
]

describeServer('GroupBusy', (startServer) => {
  it.each(homes)('keeps other jobs of its key from starting, %s', async (_, queueOf) => {
    const server = await startServer()
    const { engine } = server
    const jobs = ['one', 'one', 'two'].map((group) => ({ type: 'call', payload: group, group }))
    const enqueued = await engine.enqueueMany({ jobs })
    const seen: unknown[] = []
    const call = ({ payload }: { readonly payload: unknown }) => {
      seen.push(payload)
      if (payload === 'one') throw new GroupBusy(10 * MINUTE)
    }
    const worker = startWorker({ ...queueOf(server), address: null }, { call }, { concurrency: 1 })
    onTestFinished(() => worker.stop({ graceMs: 0 }))
    const state = async (n: number) => {
      const { status, attempts, runAt, createdAt } = await engine.get({ id: enqueued[n]?.id ?? '' })
      return { status, attempts, isLater: runAt - createdAt > 9 * MINUTE }
    }
    await until(async () => (await state(2)).status === 'completed')
    expect(await state(0)).toEqual({ status: 'scheduled', attempts: 0, isLater: true })
    expect(await state(1)).toMatchObject({ status: 'blocked', attempts: 0 })
    expect(seen).toEqual(['one', 'two'])
    const { busyUntil, blocked } = await engine.groupKey({ name: 'call', key: 'one' })
    expect([typeof busyUntil, blocked]).toEqual(['number', 1])
  })
})

describeEngine('GroupBusy with a clock', (open) => {
  it('lets the jobs of the key run again when the time is over', async () => {
    const { engine, clock } = await open()
    for (let n = 0; n < 3; n++) await add(engine, { group: 'one' })
    let isBusy = true
    const mail = () => {
      if (isBusy) throw new GroupBusy(30 * SECOND)
    }
    await withWorker({ queue: engine, clock }, { mail }, { concurrency: 1, waitMs: 1_000 }, async ({ lines }) => {
      await until(() => lines().some((line) => line.includes('released')))
      isBusy = false
      await clock.advance(29 * SECOND)
      expect(lines().filter((line) => line.includes('success'))).toEqual([])
      await clock.advance(2 * SECOND)
      await until(async () => (await engine.counts()).completed === 3)
    })
  })

  it('only delays the job when it has no group', async () => {
    const { engine, clock } = await open()
    const id = await add(engine)
    const mail = () => {
      throw new GroupBusy(30 * SECOND)
    }
    await withWorker({ queue: engine, clock }, { mail }, { concurrency: 1, waitMs: 1_000 }, async () => {
      await until(async () => (await engine.get({ id })).status === 'scheduled')
    })
    expect(await engine.get({ id })).toMatchObject({ attempts: 0, runAt: clock.now() + 30 * SECOND })
  })
})

describe('GroupBusy', () => {
  it.each([
    [40, 40],
    [0.4, 1],
    [0, 1],
    [-5, 1],
    [Number.NaN, SECOND],
    [Number.POSITIVE_INFINITY, limits.delayMs],
  ])('of %d ms releases for %d ms, never in a loop without a delay', (given, delayMs) => {
    const lease = { id: 'one', version: 3 }
    expect(failureOf(lease, new GroupBusy(given))).toEqual({ ...lease, kind: 'release', delayMs, groupBusy: true })
  })
})
