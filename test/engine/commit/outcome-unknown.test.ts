/** A connection lost between COMMIT and its response: the batch is repeated until its outcome is known, and happens once. */
import { expect, it } from 'vitest'
import type { Op } from '../../../server/store/ops.ts'
import { type Commit, CommitOutcomeUnknown, StoreBusy } from '../../../server/store/store.ts'
import { add, addMany, describeEngine, held, ids, inLine, refused } from '../../support/engine.ts'
import type { Probe } from '../../support/store/probe-store.ts'
import { settle } from '../../support/test-clock.ts'

interface FlakyStore {
  /** From now on the response of a commit is lost, or its request; repeats fail as unknown. */
  lose(what: 'answer' | 'request'): void
  /** Restores the connection. */
  restore(): void
  /** The kinds of operations of each commit. */
  readonly asked: string[]
}

/** A store that remembers the batch during which the connection was lost, as the real one does. */
function flakyStore(store: Probe): FlakyStore {
  const commit = store.commit.bind(store)
  const asked: string[] = []
  let losing: 'answer' | 'request' | null = null
  let isAway = false
  let lost: { readonly ops: readonly Op[]; readonly answer: Commit | null } | null = null
  store.commit = async (ops) => {
    asked.push(ops.map(({ kind }) => kind).join(' '))
    const mine = lost?.ops === ops ? lost : null
    if (isAway)
      throw mine ? new CommitOutcomeUnknown('The connection is lost.') : new StoreBusy('The connection is lost.')
    lost = null
    if (mine?.answer) return mine.answer
    if (losing === null) return commit(ops)
    lost = { ops, answer: losing === 'answer' ? await commit(ops) : null }
    isAway = true
    throw new CommitOutcomeUnknown('The connection is lost.')
  }
  return {
    asked,
    lose(what) {
      losing = what
    },
    restore() {
      losing = null
      isAway = false
    },
  }
}

describeEngine('a commit whose response is lost', (open) => {
  it.each(['answer', 'request'] as const)('a batch is applied once when its %s is lost', async (what) => {
    const { engine, store, clock } = await open()
    const job = await held(engine)
    await addMany(engine, 2)
    const flaky = flakyStore(store)
    flaky.lose(what)
    const calls = Promise.all([
      add(engine, { type: 'call' }),
      engine.claim({ worker: 'worker-2', types: ['mail'] }),
      engine.complete({ id: job.id, version: job.version }),
    ])
    await clock.advance(1_000)
    expect(new Set(flaky.asked)).toEqual(new Set(['enqueue seeWorker claim complete']))
    flaky.restore()
    await clock.advance(50)
    const [, claimed, settled] = await calls
    expect([claimed.length, settled.repeated]).toEqual([1, false])
    expect(flaky.asked.at(-1)).toBe('enqueue seeWorker claim complete')
    const { counts, byType } = await engine.stats()
    expect([counts.completed, counts.processing, byType.mail?.pending, byType.call?.pending]).toEqual([1, 1, 1, 1])
    expect((await engine.get({ id: claimed[0]?.id ?? '' })).attempts).toBe(1)
  })

  it('a batch with an unknown outcome blocks later writes, and emits its events when it is known', async () => {
    const { engine, store, clock } = await open()
    const flaky = flakyStore(store)
    const emitted: string[] = []
    engine.events.subscribe(({ event }) => emitted.push(event.kind))
    flaky.lose('answer')
    const first = add(engine)
    await settle()
    const later = add(engine, { type: 'call' })
    await clock.advance(500)
    expect([emitted, new Set(flaky.asked)]).toEqual([[], new Set(['enqueue'])])
    flaky.restore()
    await clock.advance(50)
    const order: string[] = []
    for await (const { id } of engine.export()) order.unshift(id)
    expect(order).toEqual([await first, await later])
    expect(emitted.filter((kind) => kind === 'jobs').length).toBeGreaterThan(0)
  })

  it('a batch with an unknown outcome still delivers the job to a waiting claim that joined it', async () => {
    const { engine, store, clock } = await open()
    const { claim } = await inLine(engine)
    const flaky = flakyStore(store)
    flaky.lose('answer')
    const adding = add(engine)
    await clock.advance(100)
    flaky.restore()
    await clock.advance(50)
    expect(await claim).toEqual([await adding])
    expect((await engine.stats()).counts).toMatchObject({ pending: 0, processing: 1 })
  })

  it('callers that time out get an unknown outcome, not a rejection', async () => {
    const { engine, store, clock } = await open({ limits: { busyMs: 1_000 } })
    const flaky = flakyStore(store)
    flaky.lose('answer')
    const refusal = refused(add(engine, { dedupeKey: 'k' }))
    await clock.advance(1_200)
    expect(await refusal).toMatchObject({ code: 'BUSY', details: { unsure: true } })
    expect((await refusal).message).toContain('may or may not be stored')
    expect((await refusal).message).not.toMatch(/nothing was stored/i)
    flaky.restore()
    const again = engine.enqueue({ type: 'mail', payload: {}, dedupeKey: 'k' })
    await clock.advance(50)
    expect([(await again).deduplicated, (await engine.stats()).counts.pending]).toEqual([true, 1])
  })

  it('jobs claimed for callers that timed out are released', async () => {
    const { engine, store, clock } = await open({ limits: { busyMs: 1_000 } })
    const jobs = await addMany(engine, 2)
    const flaky = flakyStore(store)
    flaky.lose('answer')
    const refusals = [{}, { requestId: 'r-1' }].map((more) => refused(engine.claim({ worker: 'worker-1', ...more })))
    await clock.advance(1_200)
    for (const refusal of refusals) expect((await refusal).details).toEqual({ unsure: true })
    flaky.restore()
    await clock.advance(50)
    expect(await engine.get({ id: jobs[0] ?? '' })).toMatchObject({ status: 'pending', attempts: 0 })
    // A repeat with the same request id gets the same job.
    expect(ids(await engine.claim({ worker: 'worker-1', requestId: 'r-1' }))).toEqual([jobs[1]])
  })

  it('close waits until the outcome of the batch is known', async () => {
    const { engine, store, clock, another } = await open()
    const flaky = flakyStore(store)
    flaky.lose('answer')
    const adding = add(engine)
    await clock.advance(10)
    const closed = engine.close()
    await clock.advance(100)
    flaky.restore()
    await clock.advance(50)
    await closed
    expect(ids((await (await another()).engine.list()).jobs)).toEqual([await adding])
  })

  it('close gives up on an unknown outcome after a time limit', async () => {
    const { engine, store, clock } = await open({ limits: { busyMs: 1_000 } })
    const flaky = flakyStore(store)
    flaky.lose('answer')
    const refusal = refused(add(engine))
    await clock.advance(10)
    const closed = engine.close()
    await clock.advance(1_200)
    await closed
    expect((await refusal).details).toEqual({ unsure: true })
  })
})
