/** Group commit: concurrent calls share a commit, each gets its own result, and the queue is bounded. */
import { expect, it } from 'vitest'
import { ERRORS } from '../../../shared/errors.ts'
import { add, addMany, describeEngine, held, ids, refused } from '../../support/engine.ts'
import { settle } from '../../support/test-clock.ts'

describeEngine('group commit', (open) => {
  it('calls of one event-loop turn share one commit', async () => {
    const { engine, store } = await open()
    const jobs = await Promise.all(Array.from({ length: 64 }, (_, n) => add(engine, { payload: { n } })))
    expect(store.committed.map((ops) => ops.length)).toEqual([64])
    expect(new Set(jobs).size).toBe(64)
    expect((await engine.stats()).counts.pending).toBe(64)
  })

  it('a steady stream of calls needs far fewer commits than operations', async () => {
    const { engine, store } = await open()
    const producer = async () => {
      for (let n = 0; n < 10; n++) await add(engine, { payload: { n } })
    }
    await Promise.all(Array.from({ length: 64 }, producer))
    expect(store.count('enqueue')).toBe(640)
    expect(store.committed.length).toBeLessThanOrEqual(20)
  })

  it('one commit is bounded, and the rest goes into the next', async () => {
    const { engine, store } = await open()
    await Promise.all(Array.from({ length: 1_100 }, () => add(engine)))
    expect(store.committed.length).toBeGreaterThan(2)
    expect(Math.max(...store.committed.map((ops) => ops.length))).toBeLessThanOrEqual(512)
    expect((await engine.stats()).counts.pending).toBe(1_100)
  })

  it('a bad operation fails alone', async () => {
    const { engine, store } = await open()
    await add(engine, { type: 'letters', kind: 'message' })
    store.reset()
    const calls = Array.from({ length: 64 }, (_, n) => (n === 31 ? add(engine, { type: 'letters' }) : add(engine)))
    const outcomes = await Promise.allSettled(calls)
    expect(store.committed).toHaveLength(1)
    expect(outcomes.map(({ status }) => status)).toEqual(outcomes.map((_, n) => (n === 31 ? 'rejected' : 'fulfilled')))
    expect(outcomes[31]).toMatchObject({ reason: { code: 'WRONG_STATE' } })
    const { byType } = await engine.stats()
    expect([byType.mail?.pending, byType.letters?.pending]).toEqual([63, 1])
  })

  it('a call resolves only after its commit', async () => {
    const { engine, store } = await open()
    let answered = false
    store.hold()
    const call = add(engine).then(() => (answered = true))
    await settle()
    expect([store.committed.length, answered]).toEqual([1, false])
    store.letGo()
    await call
    expect(answered).toBe(true)
  })

  it('a write that can never fit is refused with TOO_LARGE, not BUSY', async () => {
    const { engine } = await open({ limits: { queuedBytes: 1_000 } })
    const refusal = await refused(engine.enqueue({ type: 'mail', payload: 'x'.repeat(2_000) }))
    expect(refusal).toMatchObject({ code: 'TOO_LARGE' })
    expect((await engine.stats()).counts.pending).toBe(0)
  })

  it('enqueue is refused with BUSY when too many writes are queued, but settles are accepted', async () => {
    const { engine } = await open({ limits: { queuedOps: 8 } })
    const job = await held(engine)
    const calls = Array.from({ length: 12 }, () => add(engine))
    const settled = engine.complete({ id: job.id, version: job.version })
    const claim = refused(engine.claim({ worker: 'worker-2' }))
    const outcomes = await Promise.allSettled(calls)
    expect(outcomes.filter(({ status }) => status === 'fulfilled')).toHaveLength(8)
    const reason = outcomes.flatMap((one) => (one.status === 'rejected' ? [one.reason] : []))
    expect(reason.map(({ code }) => code)).toEqual(['BUSY', 'BUSY', 'BUSY', 'BUSY'])
    expect(ERRORS.BUSY.http).toBe(503)
    expect(reason[0].message).toContain('nothing was stored')
    expect((await claim).code).toBe('BUSY')
    expect((await settled).status).toBe('completed')
    expect((await engine.stats()).counts).toMatchObject({ pending: 8, completed: 1 })
  })

  it('queued writes are bounded in bytes as well as in number', async () => {
    const { engine } = await open({ limits: { queuedBytes: 10_000 } })
    const [first, second] = [add(engine, { payload: 'x'.repeat(6_000) }), add(engine, { payload: 'x'.repeat(6_000) })]
    expect((await refused(second)).code).toBe('BUSY')
    await first
    await add(engine, { payload: 'x'.repeat(6_000) })
    expect((await engine.stats()).counts.pending).toBe(2)
  })

  it('writes are accepted again once fewer are queued', async () => {
    const { engine } = await open({ limits: { queuedOps: 2 } })
    const first = [add(engine), add(engine)]
    expect((await refused(add(engine))).code).toBe('BUSY')
    await Promise.all(first)
    await add(engine)
    expect((await engine.stats()).counts.pending).toBe(3)
  })

  it('close commits the queued writes and refuses later ones', async () => {
    const { engine, another } = await open()
    const queued = Array.from({ length: 1_100 }, () => add(engine))
    const closed = engine.close()
    const stored = new Set(await Promise.all(queued))
    await closed
    expect(stored.size).toBe(1_100)
    expect((await refused(add(engine))).code).toBe('CLOSED')
    expect((await refused(engine.claim({ worker: 'worker-1', waitMs: 1_000 }))).code).toBe('CLOSED')
    const { engine: later } = await another()
    expect((await later.stats()).counts.pending).toBe(1_100)
  })

  it('a second close has no effect', async () => {
    const { engine } = await open()
    await add(engine)
    expect(await Promise.all([engine.close(), engine.close()])).toEqual([undefined, undefined])
    expect((await refused(add(engine))).code).toBe('CLOSED')
  })

  it('an exchange settles jobs and claims new ones in one commit', async () => {
    const { engine, store } = await open()
    const first = await held(engine)
    const second = await held(engine)
    const [third] = await addMany(engine, 2)
    store.reset()
    const { settled, jobs } = await engine.exchange({
      worker: 'worker-1',
      settle: [
        { kind: 'complete', id: first.id, version: first.version, result: { sent: true } },
        { kind: 'fail', id: second.id, version: second.version, error: 'no route', retry: false },
        { kind: 'complete', id: second.id, version: 99 },
      ],
      claim: { limit: 1 },
    })
    expect(store.committed.map((ops) => ops.map(({ kind }) => kind))).toEqual([
      ['complete', 'fail', 'complete', 'claim'],
    ])
    expect(settled.map((one) => (one.ok ? one.value.status : one.error.code))).toEqual([
      'completed',
      'failed',
      'STALE_CLAIM',
    ])
    expect(ids(jobs)).toEqual([third])
  })

  it('an exchange can use the slot that it frees', async () => {
    const { engine, store } = await open()
    await engine.declareTypes({ types: [{ name: 'mail', settings: { maxConcurrency: 1 } }] })
    const job = await held(engine)
    const next = await add(engine)
    store.reset()
    const settle = [{ kind: 'complete' as const, id: job.id, version: job.version }]
    const { jobs } = await engine.exchange({ worker: 'worker-1', settle, claim: { waitMs: 1_000 } })
    expect([ids(jobs), store.committed.length]).toEqual([[next], 1])
  })
})
