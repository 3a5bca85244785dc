/** Producer: enqueues greetings and waits for their results. */
import { createClient } from 'millrace'
import { jobs, url } from './jobs.ts'

const queue = createClient({ url, jobs })
const names = process.argv.length > 2 ? process.argv.slice(2) : ['Ada', 'Grace', 'Edsger']

const enqueued = await queue.greet.enqueueMany(names.map((name) => ({ name })))
for (const job of enqueued) {
  const { greeting } = await job.result({ timeoutMs: 30_000 })
  console.log(greeting)
}
