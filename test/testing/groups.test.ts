/** The test queue drives groups on its clock: limits, rates, order, and keys that are busy. */
import { expect, it, onTestFinished } from 'vitest'
import { z } from 'zod'
import { defineJobs } from '../../server/sdk/jobs/define-jobs.ts'
import { createTestQueue } from '../../server/sdk/testing/test-queue.ts'
import { GroupBusy } from '../../shared/group-busy.ts'

const payload = z.object({ tenant: z.string() })

function queueOf(group: { readonly concurrency?: number; readonly rate?: { limit: number; perMs: number } }) {
  const jobs = defineJobs({ sync: { payload, group: { key: '/tenant', ...group } } })
  const queue = createTestQueue({ jobs })
  onTestFinished(() => queue.close())
  const add = (tenant: string) => queue.enqueue({ type: 'sync', payload: { tenant } })
  return { queue, add }
}

it('a rate lets one job of a key start per period', async () => {
  const { queue, add } = queueOf({ rate: { limit: 1, perMs: 60_000 } })
  for (const tenant of ['a', 'a', 'a', 'b']) await add(tenant)
  const ran: number[] = []
  const handlers = { sync: () => void ran.push(queue.clock.now()) }
  expect(await queue.drain(handlers)).toHaveLength(2)
  await queue.advance('59s')
  expect(await queue.drain(handlers)).toHaveLength(0)
  await queue.advance('1s')
  expect(await queue.drain(handlers)).toHaveLength(1)
  await queue.advance('1m')
  expect(await queue.drain(handlers)).toHaveLength(1)
})

it('a limit per key leaves the other jobs of the key blocked', async () => {
  const { queue, add } = queueOf({ concurrency: 1 })
  for (const tenant of ['a', 'a', 'b']) await add(tenant)
  expect(await queue.counts()).toMatchObject({ pending: 2, blocked: 1 })
  expect(await queue.drain({ sync: () => null })).toHaveLength(3)
})

it('a busy key starts again when its time is over', async () => {
  const { queue, add } = queueOf({})
  await add('a')
  await add('a')
  let isBusy = true
  const sync = () => {
    if (isBusy) throw new GroupBusy(30_000)
  }
  expect(await queue.drain({ sync })).toEqual([])
  isBusy = false
  await queue.advance('29s')
  expect(await queue.drain({ sync })).toEqual([])
  await queue.advance('1s')
  expect((await queue.drain({ sync })).map(({ status, attempt }) => [status, attempt])).toEqual([
    ['completed', 1],
    ['completed', 1],
  ])
})
