/** The example of docs/testing.md, compiled under strict and run by a test. */
import { z } from 'zod'
import { createClient } from '../../server/sdk/declaring-client.ts'
import { defineJobs } from '../../server/sdk/jobs/define-jobs.ts'
import { createTestQueue } from '../../server/sdk/testing/test-queue.ts'

const jobs = defineJobs({
  confirmOrder: { payload: z.object({ id: z.string() }), result: z.object({ mailId: z.string() }) },
})

const queue = createTestQueue({ jobs })
const client = createClient({ queue, jobs })

await client.confirmOrder.enqueue({ id: 'order-1' }, { delayMs: 3_600_000 }) // what your code does
queue.expectEnqueued('confirmOrder', { id: 'order-1' })

await queue.advance('1h')
const [ended] = await queue.drain({ confirmOrder: async ({ payload }) => ({ mailId: `mail-${payload.id}` }) })
console.log(ended?.status) // completed

await queue.close()
