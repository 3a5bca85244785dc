/** Workers that stop while jobs arrive: no job stays leased to a stopped worker. */
import { expect, it, onTestFinished } from 'vitest'
import { openRemoteQueue } from '../../server/sdk/remote/remote-queue.ts'
import { startWorker } from '../../server/worker/start-worker.ts'
import type { Queue } from '../../shared/queue.ts'
import { until } from '../support/engine.ts'
import { call, describeServer } from '../support/server.ts'

const STOPS = 25

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
