/** Deadlock warning: parent jobs that await child jobs of the same worker. */
import { describe, expect, it, onTestFinished } from 'vitest'
import { z } from 'zod'
import { createWorker } from '../../server/sdk/create-worker.ts'
import { createClient } from '../../server/sdk/declaring-client.ts'
import { defineJobs } from '../../server/sdk/jobs/define-jobs.ts'
import { createTestQueue } from '../../server/sdk/testing/test-queue.ts'
import { formatWorkerEvent } from '../../server/worker/events.ts'

const jobs = defineJobs({ parent: { payload: z.number() }, child: { payload: z.number() } })

/** Runs parents that each await a child, and returns the warnings. */
async function fanOut({ concurrency, parents }: { readonly concurrency: number; readonly parents: number }) {
  const queue = createTestQueue({ jobs })
  const client = createClient({ queue, jobs, clock: queue.clock })
  const warnings: string[] = []
  const worker = createWorker(
    queue,
    jobs,
    {
      parent: async ({ payload }) => (await client.child.enqueue(payload)).result(),
      child: ({ payload }) => payload,
    },
    { concurrency, clock: queue.clock },
  )
  worker.events.on('error', (event) => warnings.push(formatWorkerEvent(event)))
  onTestFinished(async () => {
    const stopping = worker.stop({ graceMs: 0 })
    await queue.advance(0)
    await stopping
    await queue.close()
  })
  await client.parent.enqueueMany(Array.from({ length: parents }, (_, n) => n))
  await queue.advance('4s')
  const early = warnings.length
  await queue.advance('6s')
  return { early, warnings, counts: await queue.counts() }
}

describe('a worker whose handlers all wait for jobs that it handles itself', () => {
  it('a worker warns once when all its handlers wait for jobs that it handles itself', async () => {
    const { early, warnings, counts } = await fanOut({ concurrency: 2, parents: 2 })
    expect([early, warnings.length, counts.completed]).toEqual([0, 1, 0])
    expect(warnings[0]).toMatch(/All 2 slots of this worker have been held for 5 s by handlers that wait .*\(child\)/)
    expect(warnings[0]).toContain('run the awaited types in a separate worker')
  })

  it('a worker does not warn while a slot is free for the child jobs', async () => {
    const { warnings, counts } = await fanOut({ concurrency: 3, parents: 2 })
    expect([warnings, counts.completed]).toEqual([[], 4])
  })
})
