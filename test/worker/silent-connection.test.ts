/** Worker behind a network that drops packets without a reset or an error. */
import { expect, it, onTestFinished } from 'vitest'
import { openRemoteQueue } from '../../server/sdk/remote/remote-queue.ts'
import type { Handler } from '../../server/worker/jobs/handler.ts'
import { startWorker } from '../../server/worker/start-worker.ts'
import { until } from '../support/engine.ts'
import { cuttable } from '../support/proxies/cuttable.ts'
import { describeServer } from '../support/server.ts'

const LEASE_MS = 4_000
/** Longer than the test: a claim after the outage must come from a new call. */
const WAIT_MS = 30_000

describeServer('workers on a silent connection', (startServer) => {
  it('a worker on a silent connection aborts its handler in time, and claims again once the connection works', async () => {
    const { engine, address } = await startServer()
    const line = await cuttable(address.port)
    const holders: (string | null)[] = []
    let isRunning = false
    const slow: Handler = ({ id, signal }) =>
      new Promise((_, reject) => {
        isRunning = true
        signal.addEventListener('abort', async () => {
          holders.push((await engine.get({ id })).lockedBy)
          reject(signal.reason)
        })
      })
    const start = (name: string, handlers: Record<string, Handler>) => {
      const options = { name, concurrency: 1, leaseMs: LEASE_MS, waitMs: WAIT_MS }
      const worker = startWorker(openRemoteQueue({ url: line.url }), handlers, options)
      worker.events.onAny(() => {})
      onTestFinished(() => worker.stop({ graceMs: 0 }))
    }
    start('busy', { slow })
    start('idle', { quick: () => 'done' })

    const { id } = await engine.enqueue({ type: 'slow', payload: null, maxAttempts: 5 })
    await until(() => isRunning && engine.load.waitingClaims === 1)
    line.silence()
    const [taken] = await engine.claim({ worker: 'other', types: ['slow'], waitMs: WAIT_MS, leaseMs: 60_000 })
    expect(holders).toEqual(['busy'])
    expect(taken).toMatchObject({ id, version: 2 })

    line.heal()
    const { id: next } = await engine.enqueue({ type: 'quick', payload: null })
    const { outcomes } = await engine.result({ ids: [next], waitMs: 10_000 })
    expect(outcomes).toMatchObject([{ status: 'completed' }])
    expect(await engine.get({ id: next })).toMatchObject({ lockedBy: 'idle', attempts: 1, crashes: 0 })
    expect(await engine.complete({ id, version: 2 })).toMatchObject({ status: 'completed' })
  }, 60_000)
})
