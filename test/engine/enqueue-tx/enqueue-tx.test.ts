/** enqueueTx in a transaction of the host, on both databases and with each kind of handle. */
import { expect, it } from 'vitest'
import type { EnqueueInput } from '../../../shared/contracts/produce.ts'
import type { Job } from '../../../shared/job.ts'
import { add, addMany, ids, inLine, take } from '../../support/engine.ts'
import { addOrder, counters, describeHosts, orders } from '../../support/programs/host.ts'

const EVERY_OPTION: EnqueueInput = {
  type: 'mail',
  payload: {
    to: 'ada@example.com',
    text: `quotes " ' , braces { } and \\ backslashes \\" \n ü 漢 😀`,
    list: [1, null],
  },
  priority: -7,
  delayMs: 5_000,
  maxAttempts: 9,
  timeoutMs: 61_000,
  backoff: { kind: 'fixed', baseMs: 4_000 },
  dedupeKey: `key, {with} "everything" \\ 'in' it`,
  dedupeUntil: 'finished',
  expiresAt: 4_000_000_000_000,
  face: 'rest',
  traceparent: `00-${'a'.repeat(32)}-${'b'.repeat(16)}-01`,
}

/** The fields of a job that do not depend on how it was enqueued. */
function kernel({ id: _, seq: __, dedupeKey: ___, ...rest }: Job): unknown {
  return rest
}

describeHosts('enqueueTx', (open) => {
  it('enqueueTx commits the job together with the rows of the host', async () => {
    const { engine, host, another } = await open()
    const begun = await host.begin()
    await addOrder(host, begun, 'order-1')
    const answer = await engine.enqueueTx(begun.tx, { type: 'mail', payload: { order: 'order-1' } })
    expect(answer).toEqual({ id: expect.any(String), status: 'pending', deduplicated: false })
    expect((await engine.stats()).counts.pending).toBe(0)
    await begun.commit()
    expect(await orders(host)).toEqual(['order-1'])
    const { engine: worker } = await another()
    expect(await take(worker)).toMatchObject({ id: answer.id, type: 'mail', payload: { order: 'order-1' } })
    expect(await host.sql('SELECT name, kind FROM millrace_job_types')).toEqual([{ name: 'mail', kind: 'job' }])
  })

  it('enqueueTx leaves nothing behind when the host rolls back', async () => {
    const { engine, host } = await open()
    await add(engine, { type: 'call' })
    const begun = await host.begin()
    await addOrder(host, begun, 'order-1')
    const { id } = await engine.enqueueTx(begun.tx, { type: 'mail', payload: 1, dedupeKey: 'k' })
    await engine.enqueueTx(begun.tx, { type: 'call', payload: 1 })
    await begun.rollback()
    expect(await orders(host)).toEqual([])
    await expect(engine.get({ id })).rejects.toMatchObject({ code: 'NOT_FOUND' })
    expect(await host.sql('SELECT name FROM millrace_job_types')).toEqual([{ name: 'call' }])
    expect(await host.sql('SELECT type FROM millrace_job_minutes')).toEqual([{ type: 'call' }])
    const { kept, counted } = await counters(host)
    expect(kept).toEqual(counted)
    expect(await engine.enqueue({ type: 'mail', payload: 2, dedupeKey: 'k' })).toMatchObject({ deduplicated: false })
  })

  it('enqueueTx stores every option as enqueue does', async () => {
    const { engine, host } = await open()
    const begun = await host.begin()
    const inside = await engine.enqueueTx(begun.tx, EVERY_OPTION)
    await begun.commit()
    const outside = await engine.enqueue({ ...EVERY_OPTION, dedupeKey: 'another' })
    expect(inside.status).toBe('scheduled')
    const [one, two] = [await engine.get({ id: inside.id }), await engine.get({ id: outside.id })]
    expect(kernel(one)).toEqual(kernel(two))
    expect(one.dedupeKey).toBe(EVERY_OPTION.dedupeKey)
  })

  it('enqueueTx keeps the counters exact beside other writers', async () => {
    const { engine, host } = await open()
    await addMany(engine, 3)
    await take(engine)
    for (const end of ['commit', 'rollback', 'commit'] as const) {
      const begun = await host.begin()
      const jobs = ['mail', 'call', 'mail'].map((type, n) => ({ type, payload: n, delayMs: n * 1_000 }))
      await engine.enqueueManyTx(begun.tx, { jobs })
      await engine.enqueueTx(begun.tx, { type: 'mail', payload: 1 })
      await begun[end]()
      const { kept, counted } = await counters(host)
      expect(kept).toEqual(counted)
    }
    expect((await engine.stats()).counts).toMatchObject({ pending: 6, processing: 1, scheduled: 4 })
    const total = (await engine.history({ minutes: 1 })).reduce((sum, { enqueued }) => sum + enqueued, 0)
    expect(total).toBe(11)
  })

  it('enqueueTx finds a dedupe key from the same transaction and from earlier ones', async () => {
    const { engine, host } = await open()
    const stored = await add(engine, { dedupeKey: 'old' })
    const begun = await host.begin()
    const old = await engine.enqueueTx(begun.tx, { type: 'mail', payload: 1, dedupeKey: 'old' })
    const first = await engine.enqueueTx(begun.tx, { type: 'mail', payload: 1, dedupeKey: 'new', delayMs: 1_000 })
    const again = await engine.enqueueTx(begun.tx, { type: 'mail', payload: 2, dedupeKey: 'new' })
    const other = await engine.enqueueTx(begun.tx, { type: 'call', payload: 3, dedupeKey: 'new' })
    await begun.commit()
    expect(old).toEqual({ id: stored, status: 'pending', deduplicated: true })
    expect(again).toEqual({ id: first.id, status: 'scheduled', deduplicated: true })
    expect([first.deduplicated, other.deduplicated]).toEqual([false, false])
    const later = await engine.enqueue({ type: 'mail', payload: 4, dedupeKey: 'new' })
    expect(later).toEqual({ id: first.id, status: 'scheduled', deduplicated: true })
    expect((await engine.list()).total).toBe(3)
  })

  it('enqueueTx can reuse a key that was held until its job finished', async () => {
    const { engine, host } = await open()
    const first = await add(engine, { dedupeKey: 'k', dedupeUntil: 'finished' })
    await engine.claim({ worker: 'w', settle: true })
    const begun = await host.begin()
    const second = await engine.enqueueTx(begun.tx, { type: 'mail', payload: 1, dedupeKey: 'k' })
    await begun.commit()
    expect([second.deduplicated, second.id === first]).toEqual([false, false])
  })

  it('enqueueManyTx stores a thousand jobs and returns them in order', async () => {
    const { engine, host } = await open()
    const begun = await host.begin()
    const jobs = Array.from({ length: 1_000 }, (_, n) => ({
      type: n % 2 ? 'mail' : 'call',
      payload: { n },
      priority: n,
      ...(n % 10 === 0 && { dedupeKey: `key-${n % 500}` }),
    }))
    const answers = await engine.enqueueManyTx(begun.tx, { jobs })
    await begun.commit()
    expect(answers.map(({ deduplicated }) => deduplicated)).toEqual(jobs.map((_, n) => n >= 500 && n % 10 === 0))
    expect(answers[510]?.id).toBe(answers[10]?.id)
    const { kept, counted } = await counters(host)
    expect(kept).toEqual(counted)
    expect((await engine.stats()).counts.pending).toBe(950)
    for (const n of [0, 499, 501, 999]) {
      const job = await engine.get({ id: answers[n]?.id ?? '' })
      expect([job.payload, job.priority, job.type]).toEqual([{ n }, n, n % 2 ? 'mail' : 'call'])
    }
  })

  it('enqueueTx accepts a payload of exactly the limit', async () => {
    const { engine, host } = await open({ maxPayloadBytes: 300_000 })
    const payload = 'ü'.repeat(149_999)
    const begun = await host.begin()
    const { id } = await engine.enqueueTx(begun.tx, { type: 'mail', payload })
    await expect(async () =>
      engine.enqueueTx(begun.tx, { type: 'mail', payload: `${payload}x` }),
    ).rejects.toMatchObject({
      code: 'TOO_LARGE',
    })
    await begun.commit()
    expect((await engine.get({ id })).payload).toBe(payload)
  })

  it('a waiting claim is woken once the host has committed', async () => {
    const { engine, host, store, clock } = await open()
    const { claim } = await inLine(engine)
    const begun = await host.begin()
    const { id } = await engine.enqueueTx(begun.tx, { type: 'mail', payload: 1 })
    await clock.advance(4 * store.pollMs)
    expect(engine.load.waitingClaims).toBe(1)
    await begun.commit()
    await clock.advance(2 * store.pollMs)
    expect(engine.load.waitingClaims).toBe(0)
    expect(await claim).toEqual([id])
  })

  it('a waiting claim of another engine gets a job from a savepoint of the host', async () => {
    const { engine, host, store, clock, another } = await open()
    const { engine: worker } = await another()
    const { claim } = await inLine(worker)
    const begun = await host.begin()
    await addOrder(host, begun, 'order-1')
    await begun.sql('SAVEPOINT one')
    const { id } = await engine.enqueueTx(begun.tx, { type: 'mail', payload: 1 })
    await clock.advance(2 * store.pollMs)
    await begun.sql('RELEASE SAVEPOINT one')
    await clock.advance(2 * store.pollMs)
    await begun.commit()
    await clock.advance(2 * store.pollMs)
    expect(worker.load.waitingClaims).toBe(0)
    expect(await claim).toEqual([id])
  })

  it('a job is undone when the host rolls back to a savepoint', async () => {
    const { engine, host } = await open()
    const begun = await host.begin()
    const kept = await engine.enqueueTx(begun.tx, { type: 'mail', payload: 1 })
    await begun.sql('SAVEPOINT one')
    await engine.enqueueTx(begun.tx, { type: 'mail', payload: 2 })
    await engine.enqueueTx(begun.tx, { type: 'call', payload: 3 })
    await begun.sql('ROLLBACK TO SAVEPOINT one')
    const last = await engine.enqueueTx(begun.tx, { type: 'mail', payload: 4, dedupeKey: 'k' })
    await begun.commit()
    const { kept: stored, counted } = await counters(host)
    expect(stored).toEqual(counted)
    expect(ids((await engine.list({ sort: 'oldest' })).jobs)).toEqual([kept.id, last.id])
  })

  it('the scheduler is armed for a delayed job of enqueueTx', async () => {
    const { engine, host, clock } = await open()
    engine.start()
    const { claim } = await inLine(engine)
    const begun = await host.begin()
    const { id } = await engine.enqueueTx(begun.tx, { type: 'mail', payload: 1, delayMs: 2_000 })
    await begun.commit()
    await clock.advance(2_000)
    expect(await claim).toEqual([id])
  })

  it('the engine can write at the latest when the transaction of the host ends', async () => {
    const { engine, host, clock } = await open()
    const begun = await host.begin()
    const inside = await engine.enqueueTx(begun.tx, { type: 'mail', payload: 1 })
    const outside = add(engine, { type: 'call' })
    await clock.advance(500)
    await begun.commit()
    await clock.advance(50)
    expect(ids((await engine.list({ sort: 'oldest' })).jobs).sort()).toEqual([inside.id, await outside].sort())
  })
})
