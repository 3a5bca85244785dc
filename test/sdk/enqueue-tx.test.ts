/** Typed jobs inside a transaction of the application, on both databases and with each kind of handle. */
import { expect, it } from 'vitest'
import { z } from 'zod'
import { createClient } from '../../server/sdk/create-client.ts'
import { defineJobs } from '../../server/sdk/jobs/define-jobs.ts'
import { openRemoteQueue } from '../../server/sdk/remote/remote-queue.ts'
import { QueueError } from '../../shared/errors.ts'
import type { HostTransaction } from '../../shared/host-transaction.ts'
import { addOrder, describeHosts, orders } from '../support/programs/host.ts'

const jobs = defineJobs({
  confirm: { type: 'order.confirm', payload: z.object({ id: z.string(), copies: z.int().default(2) }) },
  slow: { payload: z.string().refine(async () => true) },
})

/** Synchronous on SQLite, a promise on PostgreSQL. */
async function refusedBy(call: () => unknown): Promise<unknown> {
  try {
    await call()
    return null
  } catch (error) {
    return error instanceof QueueError ? [error.code, error.message] : error
  }
}

describeHosts('typed jobs in a transaction', (open) => {
  it('enqueueTx stores the parsed payload under its type, together with the rows of the application', async () => {
    const { engine, host } = await open()
    const queue = createClient({ queue: engine, jobs })
    const begun = await host.begin()
    await addOrder(host, begun, 'order-1')
    const one = await queue.confirm.enqueueTx(begun.tx, { id: '1' }, { priority: 3 })
    const [first, again] = await queue.confirm.enqueueManyTx(begun.tx, [{ id: '2' }, { id: '2' }], ({ id }) => ({
      dedupeKey: id,
    }))
    expect([one.deduplicated, first?.deduplicated, again?.deduplicated]).toEqual([false, false, true])
    await begun.commit()
    expect(await orders(host)).toEqual(['order-1'])
    expect(await engine.get({ id: one.id })).toMatchObject({
      type: 'order.confirm',
      priority: 3,
      payload: { id: '1', copies: 2 },
    })
    expect(await first?.status()).toBe('pending')
  })

  it('enqueueTx refuses an invalid payload before anything is written', async () => {
    const { engine, host } = await open()
    const queue = createClient({ queue: engine, jobs })
    const begun = await host.begin()
    const wrong: { id: string } = JSON.parse('{"id":7}')
    expect(await refusedBy(() => queue.confirm.enqueueTx(begun.tx, wrong))).toEqual([
      'BAD_INPUT',
      expect.stringMatching(/^The payload of confirm failed validation: id: /),
    ])
    expect(await refusedBy(() => queue.slow.enqueueTx(begun.tx, 'text'))).toEqual([
      'BAD_INPUT',
      expect.stringContaining('has asynchronous checks, which a transaction cannot await'),
    ])
    await begun.commit()
    expect(await engine.counts()).toMatchObject({ pending: 0 })
  })
})

it('a queue behind a server refuses transactions at run time', async () => {
  const queue: object = createClient({ queue: openRemoteQueue({ url: 'http://127.0.0.1:9' }), jobs }).confirm
  const enqueueTx: (tx: HostTransaction | null, payload: unknown) => unknown = Reflect.get(queue, 'enqueueTx')
  expect(await refusedBy(() => enqueueTx(null, { id: '1' }))).toEqual([
    'UNSUPPORTED',
    expect.stringContaining('needs an embedded queue'),
  ])
})
