/** Typed jobs inside the host's own transaction, on both databases and through each kind of handle. */
import { expect, it } from 'vitest'
import { z } from 'zod'
import { createClient } from '../../server/sdk/create-client.ts'
import { defineJobs } from '../../server/sdk/jobs/define-jobs.ts'
import { openRemoteQueue } from '../../server/sdk/remote/remote-queue.ts'
import type { HostTransaction } from '../../server/store/host-transaction.ts'
import { QueueError } from '../../shared/errors.ts'
import { addOrder, describeHosts, orders } from '../support/host.ts'

const jobs = defineJobs({
  confirm: { type: 'order.confirm', payload: z.object({ id: z.string(), copies: z.int().default(2) }) },
  slow: { payload: z.string().refine(async () => true) },
})

/** At once on SQLite, later on PostgreSQL. */
async function refusedBy(call: () => unknown): Promise<unknown> {
  try {
    await call()
    return null
  } catch (error) {
    return error instanceof QueueError ? [error.code, error.message] : error
  }
}

describeHosts('typed jobs in a transaction', (open) => {
  it('are stored as parsed, under their type, together with the rows of the host', async () => {
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

  it('are refused before anything is written when the payload does not fit', async () => {
    const { engine, host } = await open()
    const queue = createClient({ queue: engine, jobs })
    const begun = await host.begin()
    const wrong: { id: string } = JSON.parse('{"id":7}')
    expect(await refusedBy(() => queue.confirm.enqueueTx(begun.tx, wrong))).toEqual([
      'BAD_INPUT',
      expect.stringMatching(/^The payload of confirm does not fit: id: /),
    ])
    expect(await refusedBy(() => queue.slow.enqueueTx(begun.tx, 'text'))).toEqual([
      'BAD_INPUT',
      expect.stringContaining('has asynchronous checks, and a transaction cannot wait for them'),
    ])
    await begun.commit()
    expect(await engine.counts()).toMatchObject({ pending: 0 })
  })
})

it('a queue behind a server refuses transactions, also where the compiler was told otherwise', async () => {
  const queue: object = createClient({ queue: openRemoteQueue({ url: 'http://127.0.0.1:9' }), jobs }).confirm
  const enqueueTx: (tx: HostTransaction | null, payload: unknown) => unknown = Reflect.get(queue, 'enqueueTx')
  expect(await refusedBy(() => enqueueTx(null, { id: '1' }))).toEqual([
    'UNSUPPORTED',
    expect.stringContaining('needs a queue in this process'),
  ])
})
