/** A worker in a process of its own, whose handler computes for some seconds without a pause. */
import { openQueue } from '../../server/open-queue.ts'
import { startWorker } from '../../server/start-worker.ts'

const [url = '', busyMs, leaseMs] = process.argv.slice(2)
const queue = await openQueue(url, { services: false })
const worker = startWorker(queue, { sum: compute }, { leaseMs: Number(leaseMs) })
worker.events.on('success', async () => {
  await worker.stop({ graceMs: 0 })
  await queue.close()
})

function compute(): string {
  const until = performance.now() + Number(busyMs)
  while (performance.now() < until);
  return 'done'
}
