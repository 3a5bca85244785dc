/** Cancellations of running jobs reach the worker before its next heartbeat. */
import { expect, it, onTestFinished } from 'vitest'
import { openQueue } from '../../../server/sdk/open-queue.ts'
import { startWorker } from '../../../server/worker/start-worker.ts'
import { HOUR } from '../../../shared/limits.ts'
import type { Queue } from '../../../shared/queue.ts'
import { describeEngine, held, until } from '../../support/engine.ts'
import { describeServer } from '../../support/server.ts'

/** Runs until it is aborted and records the reason. Heartbeats are sent every 20 minutes. */
function workOn(queue: Queue) {
  const running: string[] = []
  const stopped: string[] = []
  const worker = startWorker(
    queue,
    {
      long: ({ id, signal }) =>
        new Promise((_, reject) => {
          running.push(id)
          signal.addEventListener('abort', () => {
            stopped.push(`${id} ${signal.reason.reason}`)
            reject(signal.reason)
          })
        }),
    },
    { concurrency: 2, leaseMs: HOUR },
  )
  onTestFinished(() => worker.stop({ graceMs: 0 }))
  return { running, stopped }
}

describeServer('cancellation of a running job', (startServer) => {
  it.each([
    ['over HTTP', true],
    ['through another engine on the same database', false],
  ])('a cancelled running job is aborted before the next heartbeat, %s', async (_, isRemote) => {
    const server = await startServer()
    const queue = await openQueue(isRemote ? server.url : server.place.url())
    onTestFinished(() => queue.close())
    const { running, stopped } = workOn(queue)
    const enqueue = async () => (await server.engine.enqueue({ type: 'long', payload: null })).id
    const first = await enqueue()
    await until(() => running.includes(first))
    const second = await enqueue()
    await until(() => running.includes(second))
    await server.engine.cancel({ id: second })
    await until(() => stopped.length === 1)
    await server.engine.cancel({ id: first })
    await until(() => stopped.length === 2)
    expect(stopped).toEqual([`${second} cancelled`, `${first} cancelled`])
    for (const id of [first, second]) {
      await until(async () => (await server.engine.get({ id })).status === 'cancelled')
    }
  })
})

describeEngine('waiting for cancellations', (open) => {
  it('cancellations returns only ids of current leases', async () => {
    const { engine } = await open()
    const [one, other] = [await held(engine), await held(engine)]
    const leases = [one, other].map(({ id, version }) => ({ id, version }))
    const waiting = engine.cancellations({ worker: 'worker-1', leases, waitMs: 30_000 })
    await engine.cancel({ id: other.id })
    expect(await waiting).toEqual({ cancelled: [other.id] })
    const stale = { id: other.id, version: other.version + 1 }
    expect(await engine.cancellations({ worker: 'worker-1', leases: [stale] })).toEqual({ cancelled: [] })
  })

  it('cancellations returns when the worker calls again, the caller disconnects or the engine closes', async () => {
    const { engine } = await open()
    const { id, version } = await held(engine)
    const call = (signal?: AbortSignal) =>
      engine.cancellations({ worker: 'worker-1', leases: [{ id, version }], waitMs: 30_000 }, { signal })
    const first = call()
    const leave = new AbortController()
    const second = call(leave.signal)
    expect(await first).toEqual({ cancelled: [] })
    leave.abort()
    expect(await second).toEqual({ cancelled: [] })
    const third = call()
    engine.stopWaiting()
    expect(await third).toEqual({ cancelled: [] })
  })
})
