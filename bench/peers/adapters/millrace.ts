/** Millrace on any of its addresses: a SQLite file, PostgreSQL or a server over HTTP. */
import { openQueue, startWorker } from '../../../server/index.ts'
import { type Adapter, Countdown, type Session } from '../system.ts'

export const openMillrace: Adapter = (address, payload) => open(address, payload, 0)

export const openMillracePrefetch: Adapter = (address, payload) => open(address, payload, 100)

async function open(address: string, payload: object, prefetch: number): Promise<Session> {
  const queue = await openQueue(address)
  return {
    enqueue: (type) => queue.enqueue({ type, payload }),
    enqueueMany: (type, jobs) => queue.enqueueMany({ jobs: Array.from({ length: jobs }, () => ({ type, payload })) }),
    async work(concurrency, handle) {
      const done = new Countdown()
      const worker = startWorker(queue, { work: ({ id }) => handle(id) }, { concurrency, prefetch })
      worker.events.on('success', () => done.add())
      worker.events.on('error', ({ error }) => process.stderr.write(`millrace worker: ${error}\n`))
      return { finished: (jobs) => done.reached(jobs), stop: () => worker.stop({ graceMs: 0 }) }
    },
    async left(type) {
      const counts = (await queue.stats({ type })).byType[type]
      return counts ? counts.scheduled + counts.pending + counts.processing + counts.retrying + counts.failed : 0
    },
    close: () => queue.close(),
  }
}
