/** Limits per tenant: one busy tenant does not keep the others waiting, and never runs more than two jobs. */
import { createClient, createWorker, defineJobs, openQueue } from 'millrace'
import { z } from 'zod'

const jobs = defineJobs({
  syncTenant: {
    payload: z.object({ tenantId: z.string(), page: z.int() }),
    group: { key: (payload) => payload.tenantId, concurrency: 2 },
  },
})

const queue = await openQueue('sqlite::memory:')
const client = createClient({ queue, jobs })
await client.$declare()

const pages = Array.from({ length: 20 }, (_, page) => ({ tenantId: 'large', page }))
await client.syncTenant.enqueueMany([...pages, { tenantId: 'small', page: 0 }])

const running = new Map<string, number>()
let most = 0
const order: string[] = []
const worker = createWorker(
  queue,
  jobs,
  {
    syncTenant: async ({ payload: { tenantId } }) => {
      running.set(tenantId, (running.get(tenantId) ?? 0) + 1)
      most = Math.max(most, running.get('large') ?? 0)
      await new Promise((resolve) => setTimeout(resolve, 5))
      order.push(tenantId)
      running.set(tenantId, (running.get(tenantId) ?? 0) - 1)
    },
  },
  { concurrency: 10 },
)

while ((await queue.counts()).completed < 21) await new Promise((resolve) => setTimeout(resolve, 10))
await worker.stop()
await queue.close()

console.log(`at most ${most} jobs of the large tenant ran at a time`)
console.log(`the small tenant waited for fewer than 5 jobs of the large one: ${order.indexOf('small') < 5}`)
