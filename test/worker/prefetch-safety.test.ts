/** Jobs claimed in advance: which of them may wait, and what happens to them when handlers block or crash. */
import { expect, it } from 'vitest'
import type { Clock } from '../../server/base/clock.ts'
import { newId } from '../../server/base/ids.ts'
import type { Heartbeats } from '../../server/worker/heartbeats/heartbeats.ts'
import type { Handler } from '../../server/worker/jobs/handler.ts'
import { startWorker, type WorkerOptions } from '../../server/worker/start-worker.ts'
import { Worker } from '../../server/worker/worker.ts'
import type { Queue } from '../../shared/queue.ts'
import { addMany, describeEngine } from '../support/engine.ts'
import type { TestClock } from '../support/test-clock.ts'
import { gated, withWorker } from '../support/worker.ts'
import { recorded } from './recorded-exchanges.ts'

/** The clock of a test, with handlers that block the event loop for some time. */
function blockable(clock: Clock): { readonly clock: Clock; readonly block: (ms: number) => void } {
  let blockedMs = 0
  return {
    clock: {
      now: () => clock.now(),
      monotonic: () => clock.monotonic() + blockedMs,
      after: (delayMs, run, keepAlive) => clock.after(delayMs, run, keepAlive),
    },
    block(ms) {
      blockedMs += ms
    },
  }
}

/** Runs `body` when a worker on the clock of its options has worked. */
async function withTimedWorker(
  queue: Queue,
  clock: TestClock,
  handlers: Readonly<Record<string, Handler>>,
  options: WorkerOptions,
  body: () => Promise<void>,
): Promise<void> {
  const worker = startWorker(queue, handlers, { name: 'w', random: () => 0.5, ...options })
  await clock.advance(0)
  await body()
  const stopping = worker.stop({ graceMs: 0 })
  await clock.advance(0)
  await stopping
}

/** Heartbeats that send nothing. */
const quietHeartbeats: Heartbeats = {
  ready: Promise.resolve(),
  hold() {},
  wait: () => true,
  take: () => true,
  drop() {},
  stop: async () => {},
}

async function addJobs(
  queue: Pick<Queue, 'enqueue'>,
  settings: readonly { readonly timeoutMs?: number; readonly maxAttempts?: number }[],
): Promise<readonly string[]> {
  const ids: string[] = []
  for (const one of settings) ids.push((await queue.enqueue({ type: 'mail', payload: null, ...one })).id)
  return ids
}

describeEngine('jobs claimed in advance', (open) => {
  it('a job with a timeout never waits, so it cannot time out before it starts', async () => {
    const { engine, clock } = await open()
    const [first, slow, ...timed] = await addJobs(engine, [{}, {}, { timeoutMs: 1_000 }, { timeoutMs: 1_000 }])
    const gate = gated(null)
    const ran: string[] = []
    const mail = ({ id }: { readonly id: string }) => {
      ran.push(id)
      return id === slow ? gate.handler() : null
    }
    const options = { concurrency: 1, prefetch: 9, leaseMs: 3_000, beatMs: 1_000 }
    await withWorker({ queue: { ...engine, address: null }, clock }, { mail }, options, async () => {
      await clock.advance(0)
      for (const id of timed) expect(await engine.get({ id })).toMatchObject({ status: 'pending', attempts: 0 })
      await clock.advance(990)
      for (const id of timed) expect(await engine.get({ id })).toMatchObject({ status: 'pending', error: null })
      gate.open()
      await clock.advance(0)
      expect(ran).toEqual([first, slow, ...timed])
      expect(await engine.stats({})).toMatchObject({ counts: { completed: 4 } })
    })
  })

  it('a job on its last attempt is released before the next handler starts, which may crash the process', async () => {
    const { engine, clock } = await open()
    const [, second = '', ...last] = await addJobs(engine, [{}, {}, { maxAttempts: 1 }, { maxAttempts: 1 }])
    const seen: unknown[] = []
    const { queue, exchanges } = recorded(engine)
    const mail = ({ id }: { readonly id: string }) => {
      if (id === second) seen.push(exchanges.map(({ released }) => released))
      return null
    }
    await withWorker({ queue, clock }, { mail }, { concurrency: 1, prefetch: 9 }, async () => {
      await clock.advance(0)
      // The first claim, the second with the outcome of the first job, and the release.
      expect(seen).toEqual([[[], [], last]])
      expect(await engine.stats({})).toMatchObject({ counts: { completed: 4 } })
    })
  })

  it('a worker claims nothing in advance for a minute after a job that may not wait', async () => {
    const { engine, clock } = await open()
    await addJobs(engine, [{}, {}, { maxAttempts: 1 }, {}, {}])
    const { queue, exchanges } = recorded(engine)
    await withWorker({ queue, clock }, { mail: () => null }, { concurrency: 1, prefetch: 9 }, async () => {
      await clock.advance(59_999)
      expect(await engine.stats({})).toMatchObject({ counts: { completed: 5 } })
      await addMany(engine, 4)
      await clock.advance(0)
      expect(exchanges.filter(({ limit }) => limit > 1)).toHaveLength(1)
      await clock.advance(1)
      await addMany(engine, 4)
      await clock.advance(0)
      expect(exchanges.filter(({ limit }) => limit > 1).length).toBeGreaterThan(1)
      expect(await engine.stats({})).toMatchObject({ counts: { completed: 13 } })
    })
  })

  it('a worker sends an outcome before it starts more waiting jobs, when the handlers take a while', async () => {
    const { engine, clock } = await open()
    const ids = await addMany(engine, 6)
    let sent: readonly string[] = []
    const exchange: Queue['exchange'] = (input, options) => {
      sent = [...sent, ...(input.settle ?? []).map(({ id }) => id)]
      return engine.exchange(input, options)
    }
    const time = blockable(clock)
    const sentAtStart = new Map<string, readonly string[]>()
    const mail = ({ id }: { readonly id: string }) => {
      sentAtStart.set(id, sent)
      time.block(5)
    }
    const options = { concurrency: 1, prefetch: 4, clock: time.clock }
    await withTimedWorker({ ...engine, exchange, address: null }, clock, { mail }, options, async () => {
      expect(await engine.stats({})).toMatchObject({ counts: { completed: 6 } })
      // Four of them waited. In one chain, the outcome of the first job alone is sent before the last one starts.
      expect(sentAtStart.get(ids[3] ?? '')).toEqual(ids.slice(0, 2))
    })
  })

  it('a waiting job does not start when its lease was released meanwhile', async () => {
    const { engine, clock } = await open()
    const ids = await addMany(engine, 4)
    const ran: string[] = []
    const [, , taken = ''] = ids
    const released = {
      ...quietHeartbeats,
      take: ({ id }: { readonly id: string }) => id !== taken || ran.includes(ids[3] ?? ''),
    }
    const worker = new Worker({
      ...{ queue: { ...engine, address: null }, clock, name: 'w', concurrency: 1, prefetch: 9, version: 'test' },
      ...{ process: 'p', leaseMs: 30_000, waitMs: 1_000, isLocal: true, random: () => 0.5, newId },
      handlers: new Map([['mail', ({ id }: { readonly id: string }) => void ran.push(id)]]),
      heartbeats: () => released,
    })
    await clock.advance(0)
    const stopping = worker.stop()
    await clock.advance(0)
    await stopping
    expect(ran).toEqual([ids[0], ids[1], ids[3], taken])
    expect(await engine.get({ id: taken })).toMatchObject({ status: 'completed', version: 2, attempts: 1 })
  })

  it('a waiting job is released instead of started when the event loop was blocked for a second', async () => {
    const { engine, clock } = await open()
    const ids = await addMany(engine, 3)
    const time = blockable(clock)
    const versions: number[] = []
    const mail = ({ id, version }: { readonly id: string; readonly version: number }) => {
      if (id === ids[1]) time.block(1_000)
      if (id === ids[2]) versions.push(version)
    }
    const options = { concurrency: 1, prefetch: 9, clock: time.clock }
    await withTimedWorker({ ...engine, address: null }, clock, { mail }, options, async () => {
      expect(versions).toEqual([2])
      expect(await engine.stats({})).toMatchObject({ counts: { completed: 3 } })
    })
  })
})
