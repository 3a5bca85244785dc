/** The traceparent of a job, from the producer to the handler, through every API. */
import { expect, it } from 'vitest'
import { z } from 'zod'
import { createClient } from '../../server/sdk/declaring-client.ts'
import { defineJobs } from '../../server/sdk/jobs/define-jobs.ts'
import { openQueue } from '../../server/sdk/open-queue.ts'
import { createTq } from '../../server/sdk/tq/tq.ts'
import { startWorker } from '../../server/worker/start-worker.ts'
import { until } from '../support/engine.ts'
import { call, type TestServer } from '../support/server.ts'
import { describeApi } from './support/world.ts'

const trace = (n: number) => `00-${String(n).padStart(32, 'a')}-${'b'.repeat(16)}-01`

async function traceparents({ engine }: TestServer): Promise<Record<string, string | null>> {
  const { jobs } = await engine.list()
  return Object.fromEntries(jobs.map(({ type, traceparent }) => [type, traceparent]))
}

describeApi('traceparent', ({ openServer }) => {
  it('traceparent is read from the job, else from the request; a malformed header is ignored, a malformed field refused', async () => {
    const server = await openServer()
    const send = (input: object, traceparent?: string) =>
      call(server, 'enqueue', 'mutation', { payload: {}, ...input }, traceparent === undefined ? {} : { traceparent })
    await send({ type: 'own', traceparent: trace(1) }, trace(2))
    await send({ type: 'header' }, trace(3))
    await send({ type: 'malformed' }, `${trace(4)}-more`)
    await send({ type: 'none' })
    const refused = await send({ type: 'refused', traceparent: `ff${trace(5).slice(2)}` }, trace(6))
    const jobs = [
      { type: 'many-own', payload: {}, traceparent: trace(7) },
      { type: 'many-header', payload: {} },
    ]
    await call(server, 'enqueueMany', 'mutation', { jobs }, { traceparent: trace(8) })
    expect(refused.status).toBe(400)
    expect(await traceparents(server)).toEqual({
      own: trace(1),
      header: trace(3),
      malformed: null,
      none: null,
      'many-own': trace(7),
      'many-header': trace(8),
    })
  })

  it('traceparent is sent by the SDK, tq and a remote queue, and reaches the handler', async () => {
    const server = await openServer()
    const queue = await openQueue(server.url)
    await queue.enqueue({ type: 'remote', payload: {}, traceparent: trace(1) })
    const client = createClient({ url: server.url, jobs: defineJobs({ sdk: { payload: z.object({}) } }) })
    await client.sdk.enqueue({}, { traceparent: trace(2) })
    const tq = createTq({ url: server.url })
    tq('tq').add({}, { traceparent: trace(3) })
    await tq.flush()
    await tq.stop()
    const seen: Record<string, string | null> = {}
    const handler = (job: { readonly type: string; readonly traceparent: string | null }) => {
      seen[job.type] = job.traceparent
    }
    const worker = startWorker(queue, { remote: handler, sdk: handler, tq: handler }, { waitMs: 1_000 })
    await until(() => Object.keys(seen).length === 3)
    await worker.stop({ graceMs: 1_000 })
    expect(seen).toEqual({ remote: trace(1), sdk: trace(2), tq: trace(3) })
  })

  it('traceparent is read from requests to the REST adapters', async () => {
    const server = await openServer()
    const headers = { 'content-type': 'application/json', traceparent: trace(1) }
    const body = JSON.stringify({ type: 'rest', payload: { to: 'ada' } })
    const response = await fetch(`${server.url}/api/tasks`, { method: 'POST', headers, body })
    await response.text()
    expect([response.status, await traceparents(server)]).toEqual([201, { rest: trace(1) }])
  })
})
