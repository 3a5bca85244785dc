/** Worker process whose handler blocks the event loop for ever when other jobs wait; prints the ids of these jobs before. */
import { openQueue } from '../../../server/sdk/open-queue.ts'
import { startWorker } from '../../../server/worker/start-worker.ts'
import type { Queue } from '../../../shared/queue.ts'

const [url = ''] = process.argv.slice(2)
const queue = await openQueue(url, { services: false })
let claimed: readonly string[] = []
const exchange: Queue['exchange'] = async (input, options) => {
  const response = await queue.exchange(input, options)
  claimed = response.jobs.map(({ id }) => id)
  return response
}
const sum = ({ id }: { readonly id: string }) => {
  const [first, ...waiting] = claimed
  if (id !== first || waiting.length === 0) return
  process.stdout.write(`${JSON.stringify(waiting)}\n`)
  Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0)
}
startWorker({ ...queue, exchange }, { sum }, { concurrency: 1, prefetch: 5 })
