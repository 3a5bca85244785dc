/** When the line breaks between a commit and its answer: the same is asked again until it is known, and nothing happens twice. */
import { expect, it } from 'vitest'
import type { Op } from '../../../server/store/ops.ts'
import { type Commit, StoreBusy, StoreUnsure } from '../../../server/store/store.ts'
import { add, addMany, describeEngine, held, ids, inLine, refused } from '../../support/engine.ts'
import type { Probe } from '../../support/probe-store.ts'
import { settle } from '../../support/test-clock.ts'

interface Fate {
  /** Commits from now on happen, or do not, and nobody hears of it; asked again, nobody knows. */
  lose(what: 'answer' | 'request'): void
  /** The database can be asked again. */
  find(): void
  /** What was asked, by kinds, each time. */
  readonly asked: string[]
}

/** A store that remembers what it was asked when the line broke, as a real one does. */
function unsure(store: Probe): Fate {
  const commit = store.commit.bind(store)
  const asked: string[] = []
  let losing: 'answer' | 'request' | null = null
  let isAway = false
  let lost: { readonly ops: readonly Op[]; readonly answer: Commit | null } | null = null
  store.commit = async (ops) => {
    asked.push(ops.map(({ kind }) => kind).join(' '))
    const mine = lost?.ops === ops ? lost : null
    if (isAway) throw mine ? new StoreUnsure('The line is cut.') : new StoreBusy('The line is cut.')
    lost = null
    if (mine?.answer) return mine.answer
    if (losing === null) return commit(ops)
    lost = { ops, answer: losing === 'answer' ? await commit(ops) : null }
    isAway = true
    throw new StoreUnsure('The line is cut.')
  }
  return {
    asked,
    lose(what) {
      losing = what
    },
    find() {
      losing = null
      isAway = false
    },
  }
}

describeEngine('a commit whose answer is lost', (open) => {
  it.each(['answer', 'request'] as const)('is done once when its %s got lost', async (what) => {
    const { engine, store, clock } = await open()
    const job = await held(engine)
    await addMany(engine, 2)
    const fate = unsure(store)
    fate.lose(what)
    const calls = Promise.all([
      add(engine, { type: 'call' }),
      engine.claim({ worker: 'worker-2', types: ['mail'] }),
      engine.complete({ id: job.id, version: job.version }),
    ])
    await clock.advance(1_000)
    expect(new Set(fate.asked)).toEqual(new Set(['enqueue seeWorker claim complete']))
    fate.find()
    await clock.advance(50)
    const [, claimed, settled] = await calls
    expect([claimed.length, settled.repeated]).toEqual([1, false])
    expect(fate.asked.at(-1)).toBe('enqueue seeWorker claim complete')
    const { counts, byType } = await engine.stats()
    expect([counts.completed, counts.processing, byType.mail?.pending, byType.call?.pending]).toEqual([1, 1, 1, 1])
    expect((await engine.get({ id: claimed[0]?.id ?? '' })).attempts).toBe(1)
  })

  it('lets nothing pass that came later, and tells in the end what changed', async () => {
    const { engine, store, clock } = await open()
    const fate = unsure(store)
    const told: string[] = []
    engine.events.subscribe(({ event }) => told.push(event.kind))
    fate.lose('answer')
    const first = add(engine)
    await settle()
    const later = add(engine, { type: 'call' })
    await clock.advance(500)
    expect([told, new Set(fate.asked)]).toEqual([[], new Set(['enqueue'])])
    fate.find()
    await clock.advance(50)
    const order: string[] = []
    for await (const { id } of engine.export()) order.unshift(id)
    expect(order).toEqual([await first, await later])
    expect(told.filter((kind) => kind === 'jobs').length).toBeGreaterThan(0)
  })

  it('gives a waiting claim the job that it had joined for', async () => {
    const { engine, store, clock } = await open()
    const { claim } = await inLine(engine)
    const fate = unsure(store)
    fate.lose('answer')
    const adding = add(engine)
    await clock.advance(100)
    fate.find()
    await clock.advance(50)
    expect(await claim).toEqual([await adding])
    expect((await engine.stats()).counts).toMatchObject({ pending: 0, processing: 1 })
  })

  it('is not called undone to those who wait no longer', async () => {
    const { engine, store, clock } = await open({ limits: { busyMs: 1_000 } })
    const fate = unsure(store)
    fate.lose('answer')
    const refusal = refused(add(engine, { dedupeKey: 'k' }))
    await clock.advance(1_200)
    expect(await refusal).toMatchObject({ code: 'BUSY', details: { unsure: true } })
    expect((await refusal).message).toContain('may be stored or not')
    expect((await refusal).message).not.toContain('nothing was stored')
    fate.find()
    const again = engine.enqueue({ type: 'mail', payload: {}, dedupeKey: 'k' })
    await clock.advance(50)
    expect([(await again).deduplicated, (await engine.stats()).counts.pending]).toEqual([true, 1])
  })

  it('gives back what was claimed for someone who was sent away meanwhile', async () => {
    const { engine, store, clock } = await open({ limits: { busyMs: 1_000 } })
    const jobs = await addMany(engine, 2)
    const fate = unsure(store)
    fate.lose('answer')
    const refusals = [{}, { requestId: 'r-1' }].map((more) => refused(engine.claim({ worker: 'worker-1', ...more })))
    await clock.advance(1_200)
    for (const refusal of refusals) expect((await refusal).details).toEqual({ unsure: true })
    fate.find()
    await clock.advance(50)
    expect(await engine.get({ id: jobs[0] ?? '' })).toMatchObject({ status: 'pending', attempts: 0 })
    // Whoever can ask for the same again gets it.
    expect(ids(await engine.claim({ worker: 'worker-1', requestId: 'r-1' }))).toEqual([jobs[1]])
  })

  it('is finished before the engine ends', async () => {
    const { engine, store, clock, another } = await open()
    const fate = unsure(store)
    fate.lose('answer')
    const adding = add(engine)
    await clock.advance(10)
    const closed = engine.close()
    await clock.advance(100)
    fate.find()
    await clock.advance(50)
    await closed
    expect(ids((await (await another()).engine.list()).jobs)).toEqual([await adding])
  })

  it('does not keep an engine from ending for ever', async () => {
    const { engine, store, clock } = await open({ limits: { busyMs: 1_000 } })
    const fate = unsure(store)
    fate.lose('answer')
    const refusal = refused(add(engine))
    await clock.advance(10)
    const closed = engine.close()
    await clock.advance(1_200)
    await closed
    expect((await refusal).details).toEqual({ unsure: true })
  })
})
