/** The measures on a raw queue: a worker whose slots complete a job and claim the next one in the same turn. */
import { Countdown, type Session } from '../system.ts'
import type { RawQueue } from './group-commit.ts'

export function rawSession(queue: RawQueue, payload: object, close: () => Promise<void>): Session {
  return {
    enqueue: (lane) => queue.enqueue(lane, [payload]),
    enqueueMany: (lane, jobs) =>
      queue.enqueue(
        lane,
        Array.from({ length: jobs }, () => payload),
      ),
    async work(concurrency, handle) {
      const done = new Countdown()
      const idle = new Countdown()
      let isStopped = false
      const slot = async () => {
        let [job] = await queue.claim('work', 1)
        while (job) {
          if (!isStopped) handle(job.id)
          const [[next]] = await Promise.all([
            isStopped ? [] : queue.claim('work', 1),
            queue.complete(job).then(() => done.add()),
          ])
          job = next
        }
        idle.add()
      }
      for (let n = 0; n < concurrency; n++) void slot()
      return {
        finished: (jobs) => done.reached(jobs),
        async stop() {
          isStopped = true
          // Waiting claims end with one more job each.
          await queue.enqueue(
            'work',
            Array.from({ length: concurrency }, () => payload),
          )
          await idle.reached(concurrency)
        },
      }
    },
    left: (lane) => queue.left(lane),
    close,
  }
}
