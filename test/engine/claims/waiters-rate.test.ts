/** Waiting for a token: however a job became ready, a claim that waits gets it when the rate limit allows. */
import { expect, it } from 'vitest'
import { HOUR } from '../../../shared/limits.ts'
import { add, describeEngine, held, ids, inLine, type Open, started } from '../../support/engine.ts'
import { settle } from '../../support/test-clock.ts'

/** One claim a second, and the token of this second is spent. */
async function openLimited(open: Open) {
  const opened = await started(open())
  await opened.engine.declareTypes({ types: [{ name: 'mail', settings: { rate: 1, burst: 1 } }] })
  const spent = await held(opened.engine)
  return { ...opened, spent }
}

describeEngine('waiting for a token', (open) => {
  it('is woken when the token is there, for a job that is ready', async () => {
    const { engine, clock } = await openLimited(open)
    const id = await add(engine)
    const { claim } = await inLine(engine)
    await clock.advance(999)
    expect(engine.load.waitingClaims).toBe(1)
    await clock.advance(1)
    expect(await claim).toEqual([id])
  })

  it('is woken for a job that is inserted meanwhile', async () => {
    const { engine, clock } = await openLimited(open)
    const { claim } = await inLine(engine)
    const id = await add(engine)
    await clock.advance(1_000)
    expect(await claim).toEqual([id])
  })

  it('is woken for a job that falls due meanwhile', async () => {
    const { engine, clock } = await openLimited(open)
    const { claim } = await inLine(engine)
    const id = await add(engine, { delayMs: 100 })
    await clock.advance(1_100)
    expect(engine.load.waitingClaims).toBe(0)
    expect(await claim).toEqual([id])
  })

  it('is woken for a job that is given back meanwhile', async () => {
    const { engine, clock, spent } = await openLimited(open)
    const { claim } = await inLine(engine)
    await engine.release({ id: spent.id, version: spent.version })
    await clock.advance(1_000)
    expect(engine.load.waitingClaims).toBe(0)
    expect(await claim).toEqual([spent.id])
  })

  it('is woken for a job that another engine inserts meanwhile', async () => {
    const { engine, clock, another } = await openLimited(open)
    const { engine: other } = await another()
    const { claim } = await inLine(engine)
    const id = await add(other)
    await clock.advance(1_010)
    expect(engine.load.waitingClaims).toBe(0)
    expect(await claim).toEqual([id])
  })

  it('is woken although the first in line, who would have been, has left', async () => {
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

  it('is woken although the first in line must not take the job', async () => {
    const { engine, clock, spent } = await openLimited(open)
    await engine.drainWorker({ worker: 'worker-1' })
    await inLine(engine, { worker: 'worker-1' })
    const second = await inLine(engine, { worker: 'second' })
    await engine.release({ id: spent.id, version: spent.version })
    await clock.advance(1_100)
    expect(engine.load.waitingClaims).toBe(1)
    expect(await second.claim).toEqual([spent.id])
  })

  it('is woken for the token of the whole queue', async () => {
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

  it('serves those who wait one token at a time, the first in line first', async () => {
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

  it('goes on handing out tokens after the clock was set back', async () => {
    const { engine, clock } = await openLimited(open)
    const id = await add(engine)
    clock.jump(-HOUR)
    const { claim } = await inLine(engine)
    await clock.advance(3_000)
    expect(engine.load.waitingClaims).toBe(0)
    expect(await claim).toEqual([id])
  })
})
