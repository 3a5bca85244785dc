/** Lost claim responses: the job has not run, so it is not quarantined. */
import { expect, it } from 'vitest'
import { openQueue } from '../../server/sdk/open-queue.ts'
import { startWorker } from '../../server/worker/start-worker.ts'
import { until } from '../support/engine.ts'
import { lossyProxy } from '../support/proxies/lossy-proxy.ts'
import { call, describeServer } from '../support/server.ts'

describeServer('three lost responses to claims', (startServer) => {
  it('lost claim responses of an HTTP client leave the job claimable', async () => {
    const server = await startServer()
    const { engine } = server
    const { id } = await engine.enqueue({ type: 'mail', payload: {} })
    const proxy = await lossyProxy(server.address.port, async () => true)
    for (const claims of [1, 2, 3]) {
      const claim = { worker: 'plain', leaseMs: 1_000 }
      await expect(call(proxy, 'claim', 'mutation', claim)).rejects.toThrow()
      await until(async () => (await engine.get({ id })).status !== 'processing')
      expect(await engine.get({ id })).toMatchObject({ status: 'pending', version: claims, attempts: 1, crashes: 1 })
    }
    expect(proxy.lost).toBe(3)
    expect(await engine.claim({ worker: 'plain' })).toMatchObject([{ id, version: 4, attempts: 2, crashes: 1 }])
  })

  it('lost claim responses of a worker leave the job claimable, and it runs once', async () => {
    const server = await startServer()
    const { engine } = server
    const { id } = await engine.enqueue({ type: 'mail', payload: {} })
    let isLosing = true
    const proxy = await lossyProxy(server.address.port, async (path) => {
      if (isLosing && path.includes('exchange')) isLosing = (await engine.get({ id })).version < 4
      return isLosing && path.includes('exchange')
    })
    const queue = await openQueue(proxy.url)
    const versions: number[] = []
    const handlers = { mail: async ({ version }: { readonly version: number }) => void versions.push(version) }
    const worker = startWorker(queue, handlers, { leaseMs: 1_000, waitMs: 1_000, name: 'careful' })
    worker.events.onAny(() => {})
    await until(async () => (await engine.get({ id })).status === 'completed')
    await worker.stop({ graceMs: 0 })
    await queue.close()
    expect(proxy.lost).toBeGreaterThanOrEqual(3)
    expect(versions).toHaveLength(1)
    expect(await engine.get({ id })).toMatchObject({ crashes: 1 })
    const attempts = await engine.attempts({ id })
    expect(attempts.map(({ outcome }) => outcome)).toEqual(['crashed', 'released', 'released', 'completed'])
  })
})
