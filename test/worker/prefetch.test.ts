/** Workers with `prefetch`: jobs that are claimed in advance wait for a slot, and are released when it takes too long. */
import { describe, expect, it } from 'vitest'
import { startWorker } from '../../server/worker/start-worker.ts'
import type { Queue } from '../../shared/queue.ts'
import { addMany, describeEngine } from '../support/engine.ts'
import { gated, withWorker } from '../support/worker.ts'
import { recorded } from './recorded-exchanges.ts'

describeEngine('a worker with prefetch', (open) => {
  it('a worker settles and claims several short jobs in one exchange, and runs one at a time, in order', async () => {
    const { engine, clock } = await open()
    const ids = await addMany(engine, 30)
    const { queue, exchanges } = recorded(engine)
    const ran: string[] = []
    let [running, most] = [0, 0]
    const mail = async ({ id }: { readonly id: string }) => {
      most = Math.max(most, ++running)
      await null
      running--
      ran.push(id)
    }
    await withWorker({ queue, clock }, { mail }, { concurrency: 1, prefetch: 9 }, async () => {
      await clock.advance(0)
      expect(ran).toEqual(ids)
      expect(most).toBe(1)
      // One job alone, then ten at a time: nine wait, and one has the slot.
      expect(exchanges.map(({ jobs }) => jobs.length).slice(0, 4)).toEqual([1, 10, 10, 9])
      expect(await engine.stats({})).toMatchObject({ counts: { completed: 30, processing: 0 } })
    })
  })

  it.each([1, 3])('%i slots: a worker settles short jobs and claims the next in one exchange', async (concurrency) => {
    const { engine, clock } = await open()
    await addMany(engine, 3 * concurrency)
    const { queue, exchanges } = recorded(engine)
    await withWorker({ queue, clock }, { mail: async () => null }, { concurrency }, async () => {
      await clock.advance(0)
      expect(exchanges.slice(0, 4).map(({ settled, jobs }) => ({ settled, claimed: jobs.length }))).toEqual([
        { settled: 0, claimed: concurrency },
        { settled: concurrency, claimed: concurrency },
        { settled: concurrency, claimed: concurrency },
        { settled: concurrency, claimed: 0 },
      ])
    })
  })

  it('a worker without prefetch claims only for free slots', async () => {
    const { engine, clock } = await open()
    await addMany(engine, 10)
    const { queue, exchanges } = recorded(engine)
    await withWorker({ queue, clock }, { mail: () => null }, { concurrency: 2 }, async () => {
      await clock.advance(0)
      expect(Math.max(...exchanges.map(({ limit }) => limit))).toBe(2)
    })
  })

  it('a worker whose handlers take long claims nothing in advance', async () => {
    const { engine, clock } = await open()
    await addMany(engine, 3)
    const { queue, exchanges } = recorded(engine)
    const gate = gated(null)
    await withWorker({ queue, clock }, { mail: gate.handler }, { concurrency: 1, prefetch: 9 }, async () => {
      for (let job = 0; job < 3; job++) {
        await clock.advance(30)
        gate.open()
        await clock.advance(0)
      }
      expect(exchanges.slice(0, 4).map(({ settled, limit }) => ({ settled, limit }))).toEqual([
        { settled: 0, limit: 1 },
        { settled: 1, limit: 1 },
        { settled: 1, limit: 1 },
        { settled: 1, limit: 1 },
      ])
    })
  })

  /** A worker whose first job was short, whose second runs until `gate.open`, and which holds two more in advance. */
  async function behindSlowJob(
    body: (parts: {
      readonly engine: Queue
      readonly ids: readonly string[]
      readonly ran: readonly string[]
      readonly advance: (ms: number) => Promise<void>
      readonly open: () => void
      readonly worker: ReturnType<typeof startWorker>
      readonly lines: () => readonly string[]
    }) => Promise<void>,
  ): Promise<void> {
    const { engine, clock } = await open()
    const ids = await addMany(engine, 4)
    const gate = gated(null)
    const ran: string[] = []
    const mail = ({ id }: { readonly id: string }) => {
      ran.push(id)
      return id === ids[1] ? gate.handler() : null
    }
    const options = { concurrency: 1, prefetch: 9, leaseMs: 3_000, beatMs: 1_000 }
    await withWorker({ queue: { ...engine, address: null }, clock }, { mail }, options, async ({ worker, lines }) => {
      await clock.advance(0)
      expect(ran).toEqual(ids.slice(0, 2))
      expect(await engine.stats({})).toMatchObject({ counts: { processing: 3, pending: 0 } })
      await body({
        ...{ engine, ids, ran, worker, lines },
        advance: (ms) => clock.advance(ms),
        open: () => gate.open(),
      })
    })
  }

  it('a worker releases jobs that have waited for a second, without counting an attempt', async () => {
    await behindSlowJob(async ({ engine, ids, ran, advance, open: finish }) => {
      await advance(999)
      expect(await engine.stats({})).toMatchObject({ counts: { processing: 3 } })
      await advance(1)
      expect(await engine.get({ id: ids[2] ?? '' })).toMatchObject({ status: 'pending', attempts: 0 })
      expect(await engine.stats({})).toMatchObject({ counts: { processing: 1, pending: 2 } })
      finish()
      await advance(0)
      expect([...ran].sort()).toEqual([...ids].sort())
      expect(await engine.stats({})).toMatchObject({ counts: { completed: 4 } })
    })
  })

  it.each(['stop', 'hold'] as const)('a worker releases the waiting jobs at once on %s', async (action) => {
    await behindSlowJob(async ({ engine, ids, ran, advance, open: finish, worker }) => {
      const stopping = worker[action]()
      await advance(0)
      expect(await engine.stats({})).toMatchObject({ counts: { processing: 1, pending: 2 } })
      finish()
      await advance(0)
      await stopping
      expect(ran).toEqual(ids.slice(0, 2))
      expect(await engine.stats({})).toMatchObject({ counts: { completed: 2, pending: 2, processing: 0 } })
    })
  })

  it('a worker does not run a waiting job that was cancelled', async () => {
    await behindSlowJob(async ({ engine, ids, ran, advance, open: finish }) => {
      const [, , cancelled = ''] = ids
      await engine.cancel({ id: cancelled })
      await advance(1_000)
      expect(await engine.get({ id: cancelled })).toMatchObject({ status: 'cancelled' })
      finish()
      await advance(0)
      expect(ran).not.toContain(cancelled)
    })
  })

  it('a worker does not run a waiting job whose lease was lost', async () => {
    const { engine, clock } = await open()
    const ids = await addMany(engine, 3)
    const [, slow = '', lost = ''] = ids
    const gate = gated(null)
    const ran: string[] = []
    const mail = ({ id }: { readonly id: string }) => {
      ran.push(id)
      return id === slow ? gate.handler() : null
    }
    const options = { concurrency: 1, prefetch: 9, leaseMs: 1_500, beatMs: 500 }
    await withWorker({ queue: { ...engine, address: null }, clock }, { mail }, options, async ({ lines }) => {
      await clock.advance(0)
      await engine.fail({ id: lost, version: 1, error: 'taken away', retryInMs: 60_000 })
      await clock.advance(500)
      expect(lines()).toContain('skipped mail: its lease was lost')
      gate.open()
      await clock.advance(0)
      expect(ran).toEqual(ids.slice(0, 2))
      expect(await engine.get({ id: lost })).toMatchObject({ status: 'retrying', attempts: 1 })
    })
  })
})

describe('the option prefetch', () => {
  it.each([-1, 1.5, 101])('prefetch %d is refused', async (prefetch) => {
    const queue = { address: null } as Partial<Queue> as Queue
    expect(() => startWorker(queue, { mail: () => null }, { prefetch })).toThrow(/prefetch/)
  })
})
