/** The worker: takes greetings from the server until it is asked to stop. */
import { createWorker, lineOf, openQueue } from 'millrace'
import { jobs, url } from './jobs.ts'

const queue = await openQueue(url)
const worker = createWorker(queue, jobs, {
  greet: ({ payload, log }) => {
    log(`greeting ${payload.name}`)
    return { greeting: `Hello, ${payload.name}!` }
  },
})
worker.events.onAny((event) => console.log(lineOf(event)))

for (const signal of ['SIGINT', 'SIGTERM'] as const) {
  process.once(signal, () => void worker.stop({ graceMs: 10_000 }).then(() => queue.close()))
}
