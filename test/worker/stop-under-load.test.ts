/** Workers that stop while jobs arrive: no job stays leased to a stopped worker. */
import { expect, it, onTestFinished } from 'vitest'
import { openRemoteQueue } from '../../server/sdk/remote/remote-queue.ts'
import { startWorker } from '../../server/worker/start-worker.ts'
import type { Queue } from '../../shared/queue.ts'
import { describeEngine, until } from '../support/engine.ts'
import { call, describeServer } from '../support/server.ts'

const STOPS = 25
/** A turn of the worker takes fewer. */
const MICROTASKS = 30

describeEngine('a worker beside an engine', (openEngine) => {
  it('a worker starts no waiting claim after stop, at whatever point of its turn it is stopped', async () => {
    const { engine } = await openEngine()
    for (let microtasks = 0; microtasks < MICROTASKS; microtasks++) {
      let isStopping = false
      const late: unknown[] = []
      const queue: Queue = {
        ...engine,
        address: null,
        exchange(input, options) {
          if (isStopping && (input.claim?.waitMs ?? 0) > 0) late.push(input)
          return engine.exchange(input, options)
        },
      }
      const worker = startWorker(queue, { mail: () => null }, { name: `w-${microtasks}`, waitMs: 500 })
      const done = new Promise<void>((resolve) => worker.events.on('success', () => resolve()))
      await engine.enqueue({ type: 'mail', payload: null })
      await done
      for (let n = 0; n < microtasks; n++) await null
      isStopping = true
      await worker.stop()
      expect(late).toEqual([])
    }
  })
})

describeServer('a worker behind a server', (startServer) => {
  it('a worker leaves no job leased when it stops, holds or changes its handlers while jobs arrive', async () => {
    const { url, engine } = await startServer({ DURABILITY: 'normal' })
    let isOver = false
    const producing = (async () => {
      while (!isOver) {
        await engine.enqueue({ type: 'mail', payload: null })
        await new Promise<void>((resolve) => setTimeout(resolve, 1))
      }
    })()
    onTestFinished(() => {
      isOver = true
    })
    for (let stop = 0; stop < STOPS; stop++) {
      // Heartbeats on this thread: starting a thread each time would take longer than the test.
      const queue: Queue = { ...openRemoteQueue({ url }), address: null }
      const worker = startWorker(queue, { mail: () => null }, { name: `w-${stop}`, concurrency: 2 })
      let done = 0
      worker.events.on('success', () => {
        done += 1
      })
      await until(() => done > stop % 5)
      if (stop % 3 === 1) worker.handlersChanged()
      if (stop % 3 === 2) worker.hold()
      await worker.stop({ graceMs: 1_000 })
      expect((await engine.counts()).processing).toBe(0)
    }
    isOver = true
    await producing
    const { jobs } = await engine.list({ limit: 200 })
    expect(jobs.filter(({ crashes }) => crashes > 0)).toEqual([])
  }, 60_000)

  it('a repeated claim replaces the first one, although its connection is still open', async () => {
    const server = await startServer()
    const ask = (waitMs: number) =>
      call(server, 'claim', 'mutation', { worker: 'w', types: ['mail'], requestId: 'r-1', waitMs })
    const first = ask(30_000)
    await until(() => server.engine.load.waitingClaims === 1)
    const again = await ask(0)
    const { id } = await server.engine.enqueue({ type: 'mail', payload: null })
    expect([(await first).body, again.body]).toEqual([{ result: { data: [] } }, { result: { data: [] } }])
    expect(await server.engine.get({ id })).toMatchObject({ status: 'pending', version: 0 })
  })
})
