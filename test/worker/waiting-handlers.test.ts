/** Parents that await children on the worker that would have to run them. */
import { describe, expect, it, onTestFinished } from 'vitest'
import { z } from 'zod'
import { createWorker } from '../../server/sdk/create-worker.ts'
import { createClient } from '../../server/sdk/declaring-client.ts'
import { defineJobs } from '../../server/sdk/jobs/define-jobs.ts'
import { createTestQueue } from '../../server/sdk/testing/test-queue.ts'
import { lineOf } from '../../server/worker/events.ts'

const jobs = defineJobs({ parent: { payload: z.number() }, child: { payload: z.number() } })

/** A worker whose parents each await a child, and what it reported. */
async function fanOut({ concurrency, parents }: { readonly concurrency: number; readonly parents: number }) {
  const queue = createTestQueue({ jobs })
  const client = createClient({ queue, jobs, clock: queue.clock })
  const trouble: string[] = []
  const worker = createWorker(
    queue,
    jobs,
    {
      parent: async ({ payload }) => (await client.child.enqueue(payload)).result(),
      child: ({ payload }) => payload,
    },
    { concurrency, clock: queue.clock },
  )
  worker.events.on('trouble', (event) => trouble.push(lineOf(event)))
  onTestFinished(async () => {
    const stopping = worker.stop({ graceMs: 0 })
    await queue.advance(0)
    await stopping
    await queue.close()
  })
  await client.parent.enqueueMany(Array.from({ length: parents }, (_, n) => n))
  await queue.advance('4s')
  const early = trouble.length
  await queue.advance('6s')
  return { early, trouble, counts: await queue.counts() }
}

describe('a worker whose handlers all wait for jobs that it takes itself', () => {
  it('says so once, and what to do', async () => {
    const { early, trouble, counts } = await fanOut({ concurrency: 2, parents: 2 })
    expect([early, trouble.length, counts.completed]).toEqual([0, 1, 0])
    expect(trouble[0]).toMatch(/all 2 slots of this worker have held handlers that wait .*\(child\)/)
    expect(trouble[0]).toContain('run the awaited types in a worker of their own')
  })

  it('says nothing while a slot is left for the children', async () => {
    const { trouble, counts } = await fanOut({ concurrency: 3, parents: 2 })
    expect([trouble, counts.completed]).toEqual([[], 4])
  })
})
