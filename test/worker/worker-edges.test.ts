/** Worker runtime, edge cases: drains, aborted calls, changing handlers, old leases. */
import { describe, expect, it } from 'vitest'
import { newId } from '../../server/base/ids.ts'
import { VERSION } from '../../server/base/version.ts'
import { QueueError } from '../../server/index.ts'
import { openRemoteQueue } from '../../server/sdk/remote/remote-queue.ts'
import { EMPTY_REPORT, type HeartbeatReport } from '../../server/worker/heartbeats/heartbeats.ts'
import type { Handler } from '../../server/worker/jobs/handler.ts'
import { BadExit } from '../../server/worker/jobs/handler-errors.ts'
import { startWorker, type WorkerOptions } from '../../server/worker/start-worker.ts'
import { Worker } from '../../server/worker/worker.ts'
import { limits } from '../../shared/limits.ts'
import type { Queue } from '../../shared/queue.ts'
import { add, addMany, describeEngine, until } from '../support/engine.ts'
import { sqlite } from '../support/places.ts'
import { startOn } from '../support/server.ts'
import type { TestClock } from '../support/test-clock.ts'
import { gated, withWorker } from '../support/worker.ts'

/** A worker with heartbeats from the test. */
function withPulse(
  queue: Queue,
  clock: TestClock,
  handlers: Record<string, Handler>,
  { ready = Promise.resolve(), concurrency = 2 } = {},
) {
  let report: (report: HeartbeatReport) => void = () => {}
  const parts = {
    name: 'w',
    concurrency,
    prefetch: 0,
    version: 'test',
    process: 'host:1',
    leaseMs: 3_000,
    waitMs: 20_000,
    isLocal: true,
    random: () => 0.5,
    newId,
  }
  const worker = new Worker({
    ...parts,
    queue,
    clock,
    handlers: new Map(Object.entries(handlers)),
    heartbeats({ onHeartbeat }) {
      report = onHeartbeat
      return { ready, hold() {}, wait: () => true, take: () => true, drop() {}, stop: async () => {} }
    },
  })
  const stop = async () => {
    const stopping = worker.stop({ graceMs: 0 })
    await clock.advance(0)
    await stopping
  }
  return { worker, stop, report: (one: Partial<HeartbeatReport>) => report({ ...EMPTY_REPORT, ...one }) }
}

describeEngine('a worker', (open) => {
  it('a worker notices a drain while it is idle', async () => {
    const { engine, clock } = await open()
    await withWorker({ queue: engine, clock }, { mail: () => null }, { beatMs: 2_000 }, async ({ lines }) => {
      await clock.advance(0)
      await engine.drainWorker({ worker: 'w' })
      await clock.advance(2_000)
      expect(lines()).toEqual(['draining: finishing the claimed jobs, claiming no more', 'stopped'])
    })
  })

  it('a worker stops after the shortest grace, even if a drain set no limit', async () => {
    const { engine, clock } = await open()
    const id = await add(engine)
    const gate = gated(null)
    await withWorker({ queue: engine, clock }, { mail: gate.handler }, { beatMs: 1_000 }, async ({ worker, lines }) => {
      await clock.advance(0)
      await engine.drainWorker({ worker: 'w' })
      await clock.advance(60_000)
      expect(lines().at(-1)).toMatch(/^draining/)
      const stopped = worker.stop({ graceMs: 5_000 })
      await clock.advance(5_000)
      await stopped
      expect(await engine.get({ id })).toMatchObject({ status: 'pending', attempts: 0 })
      await worker.stop({ graceMs: 9_000 })
      expect(lines().slice(-2)).toEqual(['released mail', 'stopped'])
    })
  })

  it('a worker aborts an attempt whose lease is lost, but not a newer attempt of the same job', async () => {
    const { engine, clock } = await open()
    const id = await add(engine)
    const versions: number[] = []
    const stopped: number[] = []
    const gate = gated('done')
    const mail: Handler = ({ version, signal }) => {
      versions.push(version)
      signal.addEventListener('abort', () => stopped.push(version))
      return gate.handler()
    }
    const { report, stop } = withPulse(engine, clock, { mail })
    await clock.advance(0)
    await engine.fail({ id, version: 1, error: 'taken away', retryInMs: 0 })
    await clock.advance(0)
    expect(versions).toEqual([1, 2])
    report({ lost: [{ id, version: 1 }] })
    expect(stopped).toEqual([1])
    gate.open()
    gate.open()
    await clock.advance(0)
    expect(await engine.get({ id })).toMatchObject({ status: 'completed', version: 2 })
    await stop()
  })

  it('a worker aborts an older attempt at once when it claims the same job again', async () => {
    const { engine, clock } = await open()
    const id = await add(engine, { maxAttempts: 5 })
    const aborted: [version: number, reason: unknown][] = []
    const gate = gated('done')
    const mail: Handler = ({ version, signal }) => {
      signal.addEventListener('abort', () => aborted.push([version, signal.reason]))
      return gate.handler()
    }
    const { stop } = withPulse(engine, clock, { mail }, { concurrency: 3 })
    for (const version of [1, 2]) {
      await clock.advance(0)
      await engine.fail({ id, version, error: 'the lease was taken away', retryInMs: 0 })
    }
    await clock.advance(0)
    expect(aborted).toMatchObject([
      [1, { reason: 'lost' }],
      [2, { reason: 'lost' }],
    ])
    for (let run = 1; run <= 3; run++) gate.open()
    await clock.advance(0)
    expect(await engine.get({ id })).toMatchObject({ status: 'completed', version: 3 })
    await stop()
  })

  it('a worker claims nothing before its heartbeats are ready', async () => {
    const { engine, clock } = await open()
    const id = await add(engine)
    let isReady = () => {}
    const ready = new Promise<void>((resolve) => {
      isReady = resolve
    })
    const { stop } = withPulse(engine, clock, { mail: () => null }, { ready })
    await clock.advance(5_000)
    expect(await engine.get({ id })).toMatchObject({ status: 'pending', version: 0 })
    isReady()
    await clock.advance(0)
    expect(await engine.get({ id })).toMatchObject({ status: 'completed' })
    await stop()
  })

  it('a worker claims nothing while it is held, even if a claim was waiting', async () => {
    const { engine, clock } = await open()
    await withWorker({ queue: engine, clock }, { mail: () => null }, {}, async ({ worker }) => {
      await clock.advance(0)
      expect(engine.load.waitingClaims).toBe(1)
      worker.hold()
      const id = await add(engine)
      await clock.advance(60_000)
      expect(await engine.get({ id })).toMatchObject({ status: 'pending', version: 0 })
      worker.resume()
      await clock.advance(0)
      expect(await engine.get({ id })).toMatchObject({ status: 'completed' })
    })
  })

  it('a worker claims a type when it gets a handler, and no longer when it loses it', async () => {
    const { engine, clock } = await open()
    const handlers = new Map<string, Handler>()
    const worker = startWorker(engine, handlers, { name: 'w', clock })
    const mail = await add(engine)
    await clock.advance(30_000)
    expect(await engine.get({ id: mail })).toMatchObject({ status: 'pending' })
    handlers.set('mail', () => 'sent')
    worker.handlersChanged()
    await clock.advance(0)
    expect(await engine.get({ id: mail })).toMatchObject({ status: 'completed' })
    handlers.set('call', () => 'called')
    handlers.delete('mail')
    worker.handlersChanged()
    await clock.advance(0)
    const [call, next] = [await add(engine, { type: 'call' }), await add(engine)]
    await clock.advance(0)
    expect([await engine.get({ id: call }), await engine.get({ id: next })]).toMatchObject([
      { status: 'completed' },
      { status: 'pending', version: 0 },
    ])
    const stopping = worker.stop({ graceMs: 0 })
    await clock.advance(0)
    await stopping
  })

  it('a worker claims jobs of more types than one claim may list', async () => {
    const { engine, clock } = await open()
    const types = Array.from({ length: limits.claimTypes * 2 + 50 }, (_, n) => `type ${n}`)
    const jobs = await engine.enqueueMany({ jobs: types.map((type) => ({ type, payload: {} })) })
    const handlers = Object.fromEntries(types.map((type) => [type, () => null]))
    await withWorker({ queue: engine, clock }, handlers, { concurrency: 50 }, async () => {
      await clock.advance(10_000)
      expect(await engine.counts()).toMatchObject({ completed: jobs.length })
    })
  })

  it('a worker reports its slots and the version of the application, or else of Millrace', async () => {
    const { engine, clock } = await open()
    const run = (options: WorkerOptions) =>
      withWorker({ queue: engine, clock }, { mail: () => null }, options, () => clock.advance(0))
    await run({ name: 'ours', concurrency: 3 })
    await run({ name: 'theirs', concurrency: limits.concurrency, version: 'shop 2.14.0' })
    await run({ name: 'usual', version: 'x'.repeat(limits.workerVersionLength) })
    expect((await engine.workers()).map(({ name, slots, version }) => [name, slots, version])).toEqual([
      ['ours', 3, `millrace ${VERSION}`],
      ['theirs', limits.concurrency, 'shop 2.14.0'],
      ['usual', 10, 'x'.repeat(limits.workerVersionLength)],
    ])
  })

  it('a worker stores the exit code of a BadExit', async () => {
    const { engine, clock } = await open()
    const id = await add(engine)
    const mail = () => Promise.reject(new BadExit(-9, 'Killed by SIGKILL'))
    await withWorker({ queue: engine, clock }, { mail }, {}, async () => {
      await clock.advance(0)
      expect(await engine.get({ id })).toMatchObject({ status: 'retrying', error: 'Killed by SIGKILL' })
      expect(await engine.attempts({ id })).toMatchObject([{ outcome: 'failed', exitCode: -9 }])
    })
  })

  it('a worker releases jobs that arrive after stop was called', async () => {
    const { engine, clock } = await open()
    const [first = '', second = ''] = await addMany(engine, 2)
    const gate = gated(null)
    let answer = () => {}
    let isSlow = false
    const queue: Queue = {
      ...engine,
      async exchange(input, context) {
        const given = await engine.exchange(input, context)
        if (isSlow && input.claim) await new Promise<void>((resolve) => (answer = resolve))
        return given
      },
    }
    await withWorker({ queue, clock }, { mail: gate.handler }, { concurrency: 1 }, async ({ worker, lines }) => {
      await clock.advance(0)
      isSlow = true
      gate.open()
      await clock.advance(0)
      const stopped = worker.stop({ graceMs: 60_000 })
      answer()
      await clock.advance(0)
      await stopped
      expect(await engine.get({ id: first })).toMatchObject({ status: 'completed' })
      expect(await engine.get({ id: second })).toMatchObject({ status: 'pending', attempts: 0, version: 1 })
      expect(lines()).toEqual(['claimed mail', 'success mail in 0 ms', 'released mail', 'stopped'])
    })
  })

  it('a worker repeats an aborted claim and releases its jobs', async () => {
    const { engine, clock } = await open()
    const queue: Queue = {
      ...engine,
      // As over a network: the queue has responded, but the response is lost.
      async exchange(input, { signal } = {}) {
        const answer = await engine.exchange(input)
        if (signal?.aborted) throw new QueueError('UNREACHABLE', 'aborted')
        return answer
      },
    }
    await withWorker({ queue, clock }, { mail: () => null }, {}, async ({ worker, lines }) => {
      await clock.advance(0)
      const stopped = worker.stop({ graceMs: 60_000 })
      const id = await add(engine)
      await clock.advance(0)
      await stopped
      expect(await engine.get({ id })).toMatchObject({ status: 'pending', attempts: 0, version: 1 })
      expect(lines()).toEqual(['released mail', 'stopped'])
    })
  })

  it.each(['stop', 'hold'] as const)(
    'a worker releases the jobs of a claim without a response, on %s',
    async (verb) => {
      const { engine, clock } = await open()
      let isDown = true
      const queue: Queue = {
        ...engine,
        async exchange(input, context) {
          const answer = await engine.exchange(input, context)
          if (isDown) throw new QueueError('UNREACHABLE', 'the response was lost')
          return answer
        },
      }
      const id = await add(engine)
      await withWorker({ queue, clock }, { mail: () => null }, {}, async ({ worker }) => {
        await clock.advance(0)
        expect(await engine.get({ id })).toMatchObject({ status: 'processing', version: 1 })
        const over = verb === 'stop' ? worker.stop({ graceMs: 60_000 }) : worker.hold()
        await clock.advance(2_000)
        isDown = false
        await clock.advance(2_000)
        await over
        expect(await engine.get({ id })).toMatchObject({ status: 'pending', attempts: 0, version: 1 })
      })
    },
  )

  it('a worker stops after a few seconds when the outcome of its last claim stays unknown', async () => {
    const { engine, clock } = await open()
    const queue: Queue = { ...engine, exchange: () => Promise.reject(new QueueError('UNREACHABLE', 'down')) }
    await withWorker({ queue, clock }, { mail: () => null }, {}, async ({ worker, lines }) => {
      await clock.advance(0)
      const stopped = worker.stop({ graceMs: 60_000 })
      await clock.advance(6_000)
      await stopped
      expect(lines().at(-1)).toBe('stopped')
    })
  })

  it('a worker waits before it retries a busy queue', async () => {
    const { engine, clock } = await open()
    const id = await add(engine)
    let [calls, isBusy] = [0, true]
    const error = new QueueError('BUSY', 'too much to do')
    const queue: Queue = {
      ...engine,
      async exchange(input, context) {
        calls += 1
        const { settle = [] } = input
        if (!isBusy || settle.length === 0) return engine.exchange(input, context)
        return { settled: settle.map(() => ({ ok: false, error })), jobs: [] }
      },
    }
    await withWorker({ queue, clock }, { mail: () => 'done' }, { concurrency: 1 }, async ({ lines }) => {
      await clock.advance(1_000)
      expect(calls).toBeLessThan(10)
      isBusy = false
      await clock.advance(2_000)
      expect(await engine.get({ id })).toMatchObject({ status: 'completed', result: 'done' })
      expect(lines().slice(0, 2)).toEqual(['claimed mail', 'the queue is unreachable: too much to do'])
    })
  })
})

describe('a worker behind a server', () => {
  it('a worker behind a server settles jobs that end while it stops', async () => {
    const { url, engine } = await startOn(sqlite)()
    const id = await add(engine)
    const gate = gated('done')
    const queue: Queue = { ...openRemoteQueue({ url }), address: null }
    const worker = startWorker(queue, { mail: gate.handler }, { name: 'w', concurrency: 1 })
    await until(() => gate.waiting === 1)
    const stopped = worker.stop({ graceMs: 60_000 })
    gate.open()
    await stopped
    expect(await engine.get({ id })).toMatchObject({ status: 'completed', result: 'done' })
  })
})
