/** Refusals of enqueueTx: before any write, with a reason, and the transaction stays usable. */
import { expect, it } from 'vitest'
import type { Engine } from '../../../server/engine/engine.ts'
import type { EnqueueInput } from '../../../shared/contracts/produce.ts'
import { type ErrorCode, QueueError } from '../../../shared/errors.ts'
import type { HostTransaction } from '../../../shared/host-transaction.ts'
import { add, ids } from '../../support/engine.ts'
import { addOrder, counters, describeHosts, orders } from '../../support/programs/host.ts'

const GOOD: EnqueueInput = { type: 'mail', payload: 1 }

/** The error of a call with arguments of any type, as from a program without types. */
async function refusal(engine: Engine, tx: unknown, input: unknown, verb: 'enqueueTx' | 'enqueueManyTx' = 'enqueueTx') {
  try {
    await Reflect.apply(engine[verb], engine, [tx, input])
  } catch (error) {
    if (error instanceof QueueError) return error
    throw error
  }
  throw new Error('nothing was refused')
}

const many = (...jobs: readonly EnqueueInput[]) => ({ jobs })

const REFUSED: readonly (readonly [
  what: string,
  verb: 'enqueueTx' | 'enqueueManyTx',
  input: unknown,
  code: ErrorCode,
])[] = [
  ['no type', 'enqueueTx', { payload: 1 }, 'BAD_INPUT'],
  ['an unknown option', 'enqueueTx', { ...GOOD, retries: 3 }, 'BAD_INPUT'],
  ['no payload that is JSON', 'enqueueTx', { type: 'mail', payload: () => 1 }, 'BAD_INPUT'],
  ['a NUL in the payload', 'enqueueTx', { type: 'mail', payload: 'a\u0000b' }, 'BAD_INPUT'],
  ['half a character', 'enqueueTx', { type: 'mail', payload: { text: '\ud83d' } }, 'BAD_INPUT'],
  ['a NUL in the key', 'enqueueTx', { ...GOOD, dedupeKey: 'a\u0000b' }, 'BAD_INPUT'],
  ['a payload beyond the limit', 'enqueueTx', { type: 'mail', payload: 'x'.repeat(2_000) }, 'TOO_LARGE'],
  ['a type of another kind', 'enqueueTx', { type: 'topic', payload: 1 }, 'WRONG_STATE'],
  ['no jobs', 'enqueueManyTx', many(), 'BAD_INPUT'],
  ['too many jobs', 'enqueueManyTx', many(...new Array<EnqueueInput>(1_001).fill(GOOD)), 'BAD_INPUT'],
  ['one bad job of several', 'enqueueManyTx', many(GOOD, { type: 'mail', payload: '\u0000' }), 'BAD_INPUT'],
  [
    'one of another kind',
    'enqueueManyTx',
    many(GOOD, { type: 'new', payload: 1 }, { type: 'topic', payload: 1 }),
    'WRONG_STATE',
  ],
  [
    'jobs that disagree',
    'enqueueManyTx',
    many({ type: 'new', payload: 1 }, { ...GOOD, type: 'new', kind: 'command' }),
    'WRONG_STATE',
  ],
  [
    'more than one write may hold',
    'enqueueManyTx',
    many(...new Array<EnqueueInput>(20).fill({ ...GOOD, payload: 'x'.repeat(900) })),
    'TOO_LARGE',
  ],
]

describeHosts('refusals of enqueueTx', (open) => {
  it('enqueueTx refuses the same input as enqueue with the same message, and the transaction stays usable', async () => {
    const { engine, host } = await open({ maxPayloadBytes: 1_000, limits: { queuedBytes: 15_000 } })
    await add(engine, { type: 'topic', kind: 'message' })
    const begun = await host.begin()
    await addOrder(host, begun, 'order-1')
    const first = await engine.enqueueTx(begun.tx, GOOD)
    for (const [what, verb, input, code] of REFUSED) {
      const inside = await refusal(engine, begun.tx, input, verb)
      const plain = verb === 'enqueueTx' ? engine.enqueue : engine.enqueueMany
      expect([what, inside.code]).toEqual([what, code])
      // On SQLite a plain enqueue waits for the host, so only refusals before the write are compared.
      if (code === 'WRONG_STATE' && host.dialect === 'sqlite') continue
      const outside = await Reflect.apply(plain, engine, [input]).then(
        () => null,
        (error: unknown) => error,
      )
      expect(outside).toMatchObject({ code, message: inside.message, details: inside.details })
    }
    const last = await engine.enqueueTx(begun.tx, GOOD)
    await begun.commit()
    expect(await orders(host)).toEqual(['order-1'])
    expect(ids((await engine.list({ type: 'mail', sort: 'oldest' })).jobs)).toEqual([first.id, last.id])
    expect(await host.sql('SELECT name FROM millrace_job_types ORDER BY name')).toEqual([
      { name: 'mail' },
      { name: 'topic' },
    ])
    const { kept, counted } = await counters(host)
    expect(kept).toEqual(counted)
  })

  it('enqueueTx refuses a connection without a transaction', async () => {
    const { engine, host } = await open()
    const begun = await host.begin()
    await engine.enqueueTx(begun.tx, GOOD)
    await begun.commit()
    const late = await refusal(engine, begun.tx, GOOD)
    expect([late.code, late.message]).toEqual(['WRONG_STATE', expect.stringContaining('No transaction has begun')])
    expect((await engine.stats()).counts.pending).toBe(1)
  })

  it('enqueueTx refuses a transaction on another database', async () => {
    const { engine } = await open()
    const { host: elsewhere, engine: other } = await open()
    const begun = await elsewhere.begin()
    const wrong = await refusal(engine, begun.tx, GOOD)
    expect([wrong.code, wrong.message]).toEqual(['BAD_INPUT', expect.stringContaining('another database')])
    await other.enqueueTx(begun.tx, GOOD)
    await begun.commit()
    expect([(await engine.stats()).counts.pending, (await other.stats()).counts.pending]).toEqual([0, 1])
  })

  it('enqueueTx refuses a value that is not a transaction', async () => {
    const { engine } = await open()
    for (const tx of [undefined, null, 'tx', {}, { query: 1 }, { session: { client: {} } }]) {
      expect((await refusal(engine, tx, GOOD)).code).toBe('BAD_INPUT')
    }
  })

  it('enqueueTx refuses all calls once the queue is closed', async () => {
    const { engine, host } = await open()
    const begun = await host.begin()
    await engine.close()
    expect((await refusal(engine, begun.tx, GOOD)).code).toBe('CLOSED')
    await begun.rollback()
  })

  it('enqueueTx returns a promise exactly when the driver is asynchronous', async () => {
    const { engine, host } = await open()
    const begun = await host.begin()
    const answer = ((tx: HostTransaction) => engine.enqueueTx(tx, GOOD))(begun.tx)
    expect(answer instanceof Promise).toBe(host.dialect === 'postgres')
    await answer
    await begun.rollback()
  })
})
