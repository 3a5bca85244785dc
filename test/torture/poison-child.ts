/** A worker of ten slots whose poison jobs end its process, each in its own way; it ends by itself when all jobs are over. */
import { setTimeout as sleep } from 'node:timers/promises'
import { openEngine, openQueue, type Queue, startWorker } from '../../server/index.ts'
import { type PoisonPayload, TYPE } from './poison.ts'

const [url = ''] = process.argv.slice(2)

const DEATHS = {
  segfault: () => process.kill(process.pid, 'SIGSEGV'),
  abort: () => process.abort(),
  kill: () => process.kill(process.pid, 'SIGKILL'),
  exit: () => process.exit(1),
}

/** In process, this is the one owner of the database; else the queue is behind a server. */
const queue: Queue = url.startsWith('http') ? await openQueue(url) : await openEngine({ url, owner: true })
const worker = startWorker(
  queue,
  {
    [TYPE]: async ({ payload }) => {
      const { death } = payload as PoisonPayload
      // All jobs of the same response have begun by then.
      await sleep(20)
      if (death === null) return
      DEATHS[death]()
      // The signal is on its way.
      await sleep(10_000)
    },
  },
  { concurrency: 10, leaseMs: 1_000, waitMs: 1_000 },
)
for (;;) {
  const { counts } = await queue.stats()
  if (counts.pending + counts.processing + counts.retrying + counts.scheduled === 0) break
  await sleep(50)
}
await worker.stop()
await queue.close()
