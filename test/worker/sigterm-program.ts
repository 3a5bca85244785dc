/** The worker of docs/workers.md, which must exit after SIGTERM. */
import { z } from 'zod'
import { createWorker } from '../../server/sdk/create-worker.ts'
import { createClient } from '../../server/sdk/declaring-client.ts'
import { defineJobs } from '../../server/sdk/jobs/define-jobs.ts'
import { openQueue } from '../../server/sdk/open-queue.ts'

const jobs = defineJobs({ mail: { payload: z.string() } })
const queue = createClient({ queue: await openQueue(process.argv[2] ?? ''), jobs })
const worker = createWorker(queue, jobs, { mail: () => console.log('ran') })

process.once('SIGTERM', async () => {
  await worker.stop({ graceMs: 30_000 }) // a second call with 0 releases running jobs at once
  await queue.$close() // closes its connections and rejects pending results
})

await queue.mail.enqueue('one')
