/** An upstream that answers 429: its account waits, other accounts continue, and no attempt is lost. */
import { createServer } from 'node:http'
import { createClient, createWorker, defineJobs, GroupBusy, openQueue } from 'millrace'
import { z } from 'zod'

/** Answers one call per account, then 429 once, then again. */
const calls = new Map<string, number>()
const upstream = createServer((request, response) => {
  const account = request.url ?? ''
  const call = (calls.get(account) ?? 0) + 1
  calls.set(account, call)
  response.writeHead(account === '/ada' && call === 2 ? 429 : 200, { 'retry-after': '0.2' }).end()
})
await new Promise<void>((resolve) => upstream.listen(0, '127.0.0.1', resolve))
const address = upstream.address()
const base = `http://127.0.0.1:${typeof address === 'object' ? address?.port : ''}`

const jobs = defineJobs({
  callApi: {
    payload: z.object({ account: z.string(), n: z.int() }),
    group: { name: 'upstream', key: '/account', concurrency: 1 },
    settings: { maxAttempts: 1 },
  },
})

const queue = await openQueue('sqlite::memory:')
const client = createClient({ queue, jobs })
const worker = createWorker(queue, jobs, {
  callApi: async ({ payload }) => {
    const response = await fetch(`${base}/${payload.account}`)
    if (response.status === 429) {
      console.log(`${payload.account} is busy`)
      throw new GroupBusy(Number(response.headers.get('retry-after')) * 1_000)
    }
  },
})
await client.$declare()
const accounts = ['ada', 'ada', 'ada', 'grace', 'grace']
await client.callApi.enqueueMany(accounts.map((account, n) => ({ account, n })))

while ((await queue.counts()).completed < accounts.length) await new Promise((resolve) => setTimeout(resolve, 10))
const { completed, failed } = await queue.counts()
console.log(`${completed} completed, ${failed} failed, with one attempt each`)
await worker.stop()
await queue.close()
upstream.close()
