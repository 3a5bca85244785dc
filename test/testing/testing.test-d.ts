/** What the compiler says to users of the test kit: each expected error is one, or tsc fails. Nothing here runs. */
import type { Queue } from '../../server/queue/queue.ts'
import { createTestQueue } from '../../server/testing/test-queue.ts'

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
