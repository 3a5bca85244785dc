/** Worker with ten slots whose poison jobs crash the process in different ways; exits when all jobs are finished. */
import { setTimeout as sleep } from 'node:timers/promises'
import { openEngine, openQueue, type Queue, startWorker } from '../../../server/index.ts'
import { type PoisonPayload, TYPE } from './poison.ts'

const [url = ''] = process.argv.slice(2)

const DEATHS = {
  segfault: () => process.kill(process.pid, 'SIGSEGV'),
  abort: () => process.abort(),
  kill: () => process.kill(process.pid, 'SIGKILL'),
  exit: () => process.exit(1),
}

/** Embedded: this process owns the database; else the queue is behind a server. */
const queue: Queue = url.startsWith('http') ? await openQueue(url) : await openEngine({ url, owner: true })
const worker = startWorker(
  queue,
  {
    [TYPE]: async ({ payload }) => {
      const { death } = payload as PoisonPayload
      // By then all jobs of the same response have started.
      await sleep(20)
      if (death === null) return
      DEATHS[death]()
      // The signal is pending.
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
