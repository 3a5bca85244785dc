/** Rate-limited claims: a waiting claim gets a job as soon as a token is available. */
import { expect, it } from 'vitest'
import { HOUR } from '../../../shared/limits.ts'
import { add, describeEngine, held, ids, inLine, type Open, started } from '../../support/engine.ts'
import { settle } from '../../support/test-clock.ts'

/** Limits claims to one a second and uses the first token. */
async function openLimited(open: Open) {
  const opened = await started(open())
  await opened.engine.declareTypes({ types: [{ name: 'mail', settings: { rate: 1, burst: 1 } }] })
  const spent = await held(opened.engine)
  return { ...opened, spent }
}

describeEngine('claims that wait for a rate-limit token', (open) => {
  it('a waiting claim gets a ready job when a token becomes available', async () => {
    const { engine, clock } = await openLimited(open)
    const id = await add(engine)
    const { claim } = await inLine(engine)
    await clock.advance(999)
    expect(engine.load.waitingClaims).toBe(1)
    await clock.advance(1)
    expect(await claim).toEqual([id])
  })

  it('a claim that waits for a token gets a job that is enqueued meanwhile', async () => {
    const { engine, clock } = await openLimited(open)
    const { claim } = await inLine(engine)
    const id = await add(engine)
    await clock.advance(1_000)
    expect(await claim).toEqual([id])
  })

  it('a claim that waits for a token gets a job that becomes due meanwhile', async () => {
    const { engine, clock } = await openLimited(open)
    const { claim } = await inLine(engine)
    const id = await add(engine, { delayMs: 100 })
    await clock.advance(1_100)
    expect(engine.load.waitingClaims).toBe(0)
    expect(await claim).toEqual([id])
  })

  it('a claim that waits for a token gets a job that is released meanwhile', async () => {
    const { engine, clock, spent } = await openLimited(open)
    const { claim } = await inLine(engine)
    await engine.release({ id: spent.id, version: spent.version })
    await clock.advance(1_000)
    expect(engine.load.waitingClaims).toBe(0)
    expect(await claim).toEqual([spent.id])
  })

  it('a claim that waits for a token gets a job that another engine enqueues meanwhile', async () => {
    const { engine, clock, another } = await openLimited(open)
    const { engine: other } = await another()
    const { claim } = await inLine(engine)
    const id = await add(other)
    await clock.advance(1_010)
    expect(engine.load.waitingClaims).toBe(0)
    expect(await claim).toEqual([id])
  })

  it('a claim that waits for a token is woken when the claim before it was aborted', async () => {
    const { engine, clock, spent } = await openLimited(open)
    const leaving = new AbortController()
    await inLine(engine, { worker: 'first' }, leaving.signal)
    const second = await inLine(engine, { worker: 'second' })
    await engine.release({ id: spent.id, version: spent.version })
    await clock.advance(500)
    leaving.abort()
    await clock.advance(600)
    expect(engine.load.waitingClaims).toBe(0)
    expect(await second.claim).toEqual([spent.id])
  })

  it('a claim that waits for a token is woken when the claim before it must not take the job', async () => {
    const { engine, clock, spent } = await openLimited(open)
    await engine.drainWorker({ worker: 'worker-1' })
    await inLine(engine, { worker: 'worker-1' })
    const second = await inLine(engine, { worker: 'second' })
    await engine.release({ id: spent.id, version: spent.version })
    await clock.advance(1_100)
    expect(engine.load.waitingClaims).toBe(1)
    expect(await second.claim).toEqual([spent.id])
  })

  it('a claim that waits for a token of the whole queue is woken', async () => {
    const { engine, clock } = await started(open())
    await engine.updateSettings({ set: { rate: 0.5, burst: 1 } })
    await held(engine)
    const id = await add(engine)
    const { claim } = await inLine(engine)
    await clock.advance(1_999)
    expect(engine.load.waitingClaims).toBe(1)
    await clock.advance(1)
    expect(await claim).toEqual([id])
  })

  it('claims that wait for tokens are served in order, one per token', async () => {
    const { engine, clock } = await openLimited(open)
    const jobs = [await add(engine), await add(engine), await add(engine)]
    const got: [string, string[]][] = []
    for (const worker of ['first', 'second', 'third']) {
      engine.claim({ worker, waitMs: 20_000 }).then((claimed) => got.push([worker, ids(claimed)]))
      await settle()
    }
    await clock.advance(3_100)
    expect(got).toEqual(jobs.map((id, n) => [['first', 'second', 'third'][n], [id]]))
  })

  it('tokens are still handed out after the clock was set back', async () => {
    const { engine, clock } = await openLimited(open)
    const id = await add(engine)
    clock.jump(-HOUR)
    const { claim } = await inLine(engine)
    await clock.advance(3_000)
    expect(engine.load.waitingClaims).toBe(0)
    expect(await claim).toEqual([id])
  })
})
