/** Small application programs of the matrix. */

export const JOBS = `
import { defineJobs } from 'millrace'
import { z } from 'zod'
export const jobs = defineJobs({
  sendEmail: {
    payload: z.object({ to: z.email(), copies: z.int().default(1) }),
    result: z.object({ messageId: z.string(), sentAt: z.iso.datetime().transform((text) => new Date(text)) }),
    settings: { maxAttempts: 7 },
  },
  resize: { type: 'image.resize', payload: z.object({ url: z.string() }) },
})
`

/** Types of producer and worker, correct and wrong. */
export const TYPES = `${JOBS}
import { createClient, createWorker } from 'millrace'
import { createClient as createSmallClient } from 'millrace/client'

type Same<One, Other> = (<T>() => T extends One ? 1 : 2) extends <T>() => T extends Other ? 1 : 2 ? true : false
const url = 'http://127.0.0.1:9'
const queue = createClient({ url, jobs })
const small = createSmallClient({ url, jobs })
type Sent = Awaited<ReturnType<typeof queue.sendEmail.enqueue>>
type Result = Awaited<ReturnType<Sent['result']>>
export const isResult: Same<Result, { messageId: string; sentAt: Date }> = true
export const isPayload: Same<Parameters<typeof small.sendEmail.enqueue>[0], { to: string; copies?: number | undefined }> = true
// @ts-expect-error no such field
void (() => queue.sendEmail.enqueue({ wrong: 'field' }))
// @ts-expect-error no such job
void (() => small.sendFax.enqueue({}))
void (() =>
  createWorker(queue, jobs, {
    sendEmail: async ({ payload }) => ({ messageId: payload.to.repeat(payload.copies), sentAt: '2026-01-01T00:00:00Z' }),
  }))
void (() =>
  createWorker(queue, jobs, {
    // @ts-expect-error the result has no messageId
    sendEmail: async () => ({ sentAt: '2026-01-01T00:00:00Z' }),
  }))
`

export const TRPC_TYPES = `
import { createTRPCClient, httpBatchLink } from '@trpc/client'
import type { AppRouter } from 'millrace'

const url = 'http://127.0.0.1:9'
const trpc = createTRPCClient<AppRouter>({ links: [httpBatchLink({ url })] })
export const enqueued: Promise<{ id: string }> = trpc.enqueue.mutate({ type: 'mail', payload: 1 })
export const names = async (): Promise<string[]> => (await trpc.types.list.query()).map(({ name }) => name)
// @ts-expect-error a priority is a number
void (() => trpc.enqueue.mutate({ type: 'mail', payload: 1, priority: 'high' }))
// @ts-expect-error an answer has types too
void (async () => (await trpc.get.query({ id: '' })).colour)
`

/** The three lines of a producer. */
export const PRODUCER = `import { createClient } from 'millrace/client'
const queue = createClient({ url: globalThis.process?.env.QUEUE_URL ?? 'http://127.0.0.1:3000' })
console.log('enqueued', (await queue.sendEmail.enqueue({ to: 'a@example.com' })).id)
`

/** A worker on a server that runs one job and exits. */
export const WORKER = `${JOBS}
import { createClient, createWorker } from 'millrace'
const client = createClient({ url: process.env.QUEUE_URL, jobs })
const worker = createWorker(client, jobs, { sendEmail: ({ payload }) => ({ messageId: payload.to, sentAt: '2026-01-01T00:00:00Z' }) })
async function main() {
  const job = await client.sendEmail.enqueue({ to: 'worker@example.com' })
  const { messageId, sentAt } = await job.result({ timeoutMs: 30_000 })
  await worker.stop()
  await client.$close()
  console.log(messageId === 'worker@example.com' && sentAt instanceof Date ? 'worker ok' : 'worker wrong')
}
main()
`

/** An embedded queue on a new SQLite file: reads from its thread, dashboard, one completed job. */
export const EMBEDDED = `${JOBS}
import { createServer } from 'node:http'
import { createClient, createDashboard, createWorker, openQueue } from 'millrace'
async function main() {
  const queue = await openQueue('sqlite:./embedded.db')
  const client = createClient({ queue, jobs })
  const worker = createWorker(client, jobs, { resize: () => null })
  const dashboard = createDashboard(queue, { prefix: '/queue' })
  const server = createServer(dashboard)
  await new Promise((resolve) => server.listen(0, '127.0.0.1', resolve))
  const at = 'http://127.0.0.1:' + server.address().port + '/queue'
  const page = await fetch(at)
  const remote = createClient({ url: at, jobs })
  const job = await remote.resize.enqueue({ url: 'x' })
  await (await client.resize.enqueue({ url: 'y' })).result({ timeoutMs: 30_000 })
  await remote.resize.job(job.id).result({ timeoutMs: 30_000 })
  const { total } = await queue.list({ status: ['completed'] })
  await worker.stop()
  await dashboard.close()
  server.closeAllConnections()
  await new Promise((resolve) => server.close(resolve))
  await queue.close()
  console.log(total === 2 && (await page.text()).includes('<script') ? 'embedded ok' : 'embedded wrong')
}
main()
`

/** Missing packages are named with the install command. */
export const MISSING = `
import { createDashboard, openQueue } from 'millrace'
const messageOf = async (call) => { try { await call() } catch (error) { return error.message } }
console.log(await messageOf(() => openQueue('sqlite:./x.db')))
console.log(await messageOf(() => openQueue('postgres://127.0.0.1:9/x')))
console.log(await messageOf(() => createDashboard({ events: 1, keyring: 1, sessions: 1 })))
`

export const VITEST = `import { expect, test } from 'vitest'
import { createTestQueue } from 'millrace/testing'
test('runs', async () => {
  const queue = createTestQueue({ handlers: { mail: () => null } })
  await queue.enqueue({ type: 'mail', payload: { to: 'a' } })
  expect(await queue.drain()).toHaveLength(1)
})
`

export const JEST = VITEST.replace("import { expect, test } from 'vitest'\n", '')

export const COMMONJS = `
const { createClient } = require('millrace/client')
const { QueueError, defineJobs } = require('millrace')
const { createTestQueue } = require('millrace/testing')
createTestQueue().enqueue({ type: 'a', payload: 1 }).then(({ status }) => console.log(typeof createClient, typeof defineJobs, QueueError.name, status))
`
