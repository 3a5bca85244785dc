/** Worker: runs greetings from the server until it is stopped. */
import { createWorker, formatWorkerEvent, openQueue } from 'millrace'
import { jobs, url } from './jobs.ts'

const queue = await openQueue(url)
const worker = createWorker(queue, jobs, {
  greet: ({ payload, log }) => {
    log(`greeting ${payload.name}`)
    return { greeting: `Hello, ${payload.name}!` }
  },
})
worker.events.onAny((event) => console.log(formatWorkerEvent(event)))

for (const signal of ['SIGINT', 'SIGTERM'] as const) {
  process.once(signal, () => void worker.stop({ graceMs: 10_000 }).then(() => queue.close()))
}
