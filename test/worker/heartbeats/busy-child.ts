/** Worker process whose handler blocks the event loop for some seconds without using the CPU. */
import { openQueue } from '../../../server/sdk/open-queue.ts'
import { startWorker } from '../../../server/worker/start-worker.ts'

const [url = '', busyMs, leaseMs] = process.argv.slice(2)
const queue = await openQueue(url, { services: false })
const worker = startWorker(queue, { sum: block }, { leaseMs: Number(leaseMs) })
worker.events.on('success', async () => {
  await worker.stop({ graceMs: 0 })
  await queue.close()
})

function block(): string {
  Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, Number(busyMs))
  return 'done'
}
