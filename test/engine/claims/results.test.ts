/** Waiting for results: resolves when one of the jobs has ended, or with notYet. */
import { expect, it } from 'vitest'
import type { Engine } from '../../../server/engine/engine.ts'
import { add, addMany, describeEngine, held, refused, started } from '../../support/engine.ts'
import { settle } from '../../support/test-clock.ts'

const MISSING = '018f6f0e-0000-7000-8000-00000000dead'

async function waitFor(engine: Engine, ...ids: string[]) {
  let answered = false
  const answer = engine.result({ ids, waitMs: 30_000 }).finally(() => {
    answered = true
  })
  await settle()
  expect(answered).toBe(false)
  return { answer }
}

/** Within this time a commit has notified other nodes. */
const HINT_MS = 100

describeEngine('results', (open) => {
  it('result returns at once when the job has ended', async () => {
    const { engine, clock } = await open()
    const job = await held(engine)
    await engine.complete({ id: job.id, version: job.version, result: { messageId: 7 } })
    const answer = await engine.result({ ids: [job.id], waitMs: 30_000 })
    expect(answer).toEqual({ outcomes: [{ id: job.id, status: 'completed', result: { messageId: 7 } }], notYet: [] })
    await clock.advance(HINT_MS)
    expect(clock.pendingTimers).toBe(0)
  })

  it('result resolves when the job is completed', async () => {
    const { engine } = await open()
    const job = await held(engine)
    const { answer } = await waitFor(engine, job.id)
    await engine.complete({ id: job.id, version: job.version })
    expect(await answer).toEqual({ outcomes: [{ id: job.id, status: 'completed', result: null }], notYet: [] })
  })

  it('result resolves when the job has failed permanently, not when it will be retried', async () => {
    const { engine, clock } = await started(open())
    const job = await held(engine, { maxAttempts: 2 })
    const { answer } = await waitFor(engine, job.id)
    await engine.fail({ id: job.id, version: job.version, error: 'no route', retryInMs: 1_000 })
    await clock.advance(1_000)
    const [again] = await engine.claim({ worker: 'worker-1' })
    await engine.fail({ id: job.id, version: again?.version ?? 0, error: 'no way' })
    expect(await answer).toEqual({ outcomes: [{ id: job.id, status: 'failed', error: 'no way' }], notYet: [] })
  })

  it('result resolves when the job is cancelled, is removed, or fails after its lease expired', async () => {
    const { engine, clock } = await started(open({ defaults: { maxAttempts: 1 } }))
    const [cancelled, removed] = await addMany(engine, 2)
    const crashed = await held(engine, { type: 'call' }, { leaseMs: 1_000 })
    const waiting = [
      await waitFor(engine, cancelled ?? ''),
      await waitFor(engine, removed ?? ''),
      await waitFor(engine, crashed.id),
    ]
    await engine.cancel({ id: cancelled ?? '' })
    await engine.remove({ id: removed ?? '' })
    await clock.advance(1_000)
    const outcomes = await Promise.all(waiting.map(async ({ answer }) => (await answer).outcomes[0]?.status))
    expect(outcomes).toEqual(['cancelled', 'missing', 'failed'])
  })

  it('result separates finished jobs from unfinished ones', async () => {
    const { engine } = await open()
    const first = await held(engine)
    const second = await held(engine)
    const { answer } = await waitFor(engine, first.id, second.id)
    await engine.complete({ id: second.id, version: second.version, result: 2 })
    expect(await answer).toEqual({
      outcomes: [{ id: second.id, status: 'completed', result: 2 }],
      notYet: [first.id],
    })
  })

  it('result reports missing jobs without waiting', async () => {
    const { engine } = await open()
    const id = await add(engine)
    expect(await engine.result({ ids: [MISSING, id], waitMs: 30_000 })).toEqual({
      outcomes: [{ id: MISSING, status: 'missing' }],
      notYet: [id],
    })
  })

  it('result returns notYet when waitMs is over', async () => {
    const { engine, clock } = await open()
    const id = await add(engine)
    expect(await engine.result({ ids: [id] })).toEqual({ outcomes: [], notYet: [id] })
    const { answer } = await waitFor(engine, id)
    await clock.advance(30_000)
    expect([await answer, clock.pendingTimers]).toEqual([{ outcomes: [], notYet: [id] }, 0])
  })

  it('result stops waiting when its signal aborts', async () => {
    const { engine, clock } = await open()
    const id = await add(engine)
    const leaving = new AbortController()
    const answer = engine.result({ ids: [id], waitMs: 30_000 }, { signal: leaving.signal })
    await settle()
    leaving.abort()
    expect([await answer, clock.pendingTimers]).toEqual([{ outcomes: [], notYet: [id] }, 0])
  })

  it('many callers can wait for the result of the same job', async () => {
    const { engine, clock } = await open()
    const job = await held(engine)
    const waiting = await Promise.all(Array.from({ length: 50 }, () => waitFor(engine, job.id)))
    await engine.complete({ id: job.id, version: job.version, result: 'x' })
    const answers = await Promise.all(waiting.map(({ answer }) => answer))
    expect(answers.map(({ outcomes }) => outcomes[0]?.status)).toEqual(Array(50).fill('completed'))
    await clock.advance(HINT_MS)
    expect(clock.pendingTimers).toBe(0)
  })

  it('a finished job does not wake callers that wait for another job', async () => {
    const { engine, store } = await open()
    const job = await held(engine)
    const other = await add(engine)
    const { answer } = await waitFor(engine, other)
    store.reset()
    await engine.complete({ id: job.id, version: job.version })
    await settle()
    expect(store.calls('getMany')).toBe(0)
    await engine.cancel({ id: other })
    expect((await answer).outcomes).toHaveLength(1)
  })

  it('result resolves when another engine ends the job', async () => {
    const { engine, store, clock, another } = await open()
    const { engine: other } = await another()
    const job = await held(other)
    const { answer } = await waitFor(engine, job.id)
    await other.complete({ id: job.id, version: job.version, result: 'elsewhere' })
    await clock.advance(2 * store.pollMs)
    expect((await answer).outcomes).toEqual([{ id: job.id, status: 'completed', result: 'elsewhere' }])
  })

  it('result returns notYet when the engine closes', async () => {
    const { engine, clock } = await open()
    const id = await add(engine)
    const { answer } = await waitFor(engine, id)
    const settled = answer.then(
      (value) => value.notYet,
      (error) => error.code,
    )
    await engine.close()
    await clock.advance(100)
    expect(clock.pendingTimers).toBe(0)
    expect(await settled).toEqual([id])
  })

  it('result refuses too many or malformed ids', async () => {
    const { engine } = await open()
    const asks = [
      { ids: [] },
      { ids: Array(101).fill(MISSING) },
      { ids: ['seven'] },
      { ids: [MISSING], waitMs: 30_001 },
    ]
    const refusals = await Promise.all(asks.map((ask) => refused(engine.result(ask))))
    expect(refusals.map(({ message }) => message.split(':')[0])).toEqual(['ids', 'ids', 'ids.0', 'waitMs'])
  })
})
