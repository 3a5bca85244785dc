/** Type tests of the test queue: tsc fails when an expected error is missing. Nothing here runs. */
import { z } from 'zod'
import { defineJobs } from '../../server/sdk/jobs/define-jobs.ts'
import { createTestQueue } from '../../server/sdk/testing/test-queue.ts'
import type { Queue } from '../../shared/queue.ts'

export async function kit(): Promise<void> {
  const queue = createTestQueue({ startsAt: new Date(0), handlers: { mail: ({ attempt }) => attempt } })
  const asAny: Queue = queue
  await queue.advance(1_000)
  await queue.advance('90s')
  const [first] = await queue.drain({ mail: async (job) => job.payload })
  const status: string | undefined = first?.status
  const id: string = queue.expectEnqueued('mail', { to: 'a' }).id
  // @ts-expect-error there is no such unit
  await queue.advance('1y')
  // @ts-expect-error a duration is no date
  await queue.advance(new Date())
  // @ts-expect-error a type comes first
  queue.expectEnqueued()
  // @ts-expect-error handlers are functions
  await queue.drain({ mail: 'done' })
  void [asAny, status, id]
}

const jobs = defineJobs({
  confirm: { payload: z.object({ id: z.string() }), result: z.object({ mailId: z.string() }) },
})

export async function typedKit(): Promise<void> {
  const queue = createTestQueue({ jobs })
  await queue.drain({ confirm: ({ payload }) => ({ mailId: payload.id }) })
  queue.expectEnqueued('confirm', { id: '1' })
  // @ts-expect-error misspelt
  await queue.drain({ confrim: () => ({ mailId: '' }) })
  // @ts-expect-error the result has no mailId
  await queue.drain({ confirm: () => ({}) })
  // @ts-expect-error misspelt
  queue.expectEnqueued('confrim')
  // @ts-expect-error an id is a string
  queue.expectEnqueued('confirm', { id: 7 })
  // @ts-expect-error no such option
  createTestQueue({ jobs, startAt: 0 })
}
