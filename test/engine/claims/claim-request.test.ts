/** Request ids: a claim whose answer was lost can be asked for again, and gets the same jobs, never more. */
import { expect, it } from 'vitest'
import { add, addMany, describeEngine, ids, inLine, take } from '../../support/engine.ts'
import { settle } from '../../support/test-clock.ts'

describeEngine('claim request ids', (open) => {
  it('gives the same jobs again', async () => {
    const { engine } = await open()
    const jobs = await addMany(engine, 5)
    const ask = () => engine.claim({ worker: 'worker-1', limit: 2, requestId: 'r-1' })
    const [first, again] = [await ask(), await ask()]
    expect(ids(first)).toEqual(jobs.slice(0, 2))
    expect(again).toEqual(first)
    expect((await engine.stats()).counts).toMatchObject({ pending: 3, processing: 2 })
  })

  it('gives the same jobs to both when the second comes before the first is answered', async () => {
    const { engine } = await open()
    const [id] = await addMany(engine, 3)
    const ask = () => engine.claim({ worker: 'worker-1', requestId: 'r-1', waitMs: 5_000 })
    const [first, second] = await Promise.all([ask(), ask()])
    expect([ids(first), ids(second)]).toEqual([[id], [id]])
    expect((await engine.stats()).counts.processing).toBe(1)
  })

  it('gives them again through another engine', async () => {
    const { engine, another } = await open()
    const { engine: other } = await another()
    await addMany(engine, 2)
    const first = await engine.claim({ worker: 'worker-1', requestId: 'r-1' })
    expect(await other.claim({ worker: 'worker-1', requestId: 'r-1' })).toEqual(first)
  })

  it('does not deliver them to another request', async () => {
    const { engine } = await open()
    await addMany(engine, 2)
    await engine.claim({ worker: 'worker-1', requestId: 'r-1' })
    expect(await engine.claim({ worker: 'worker-2', requestId: 'r-1' })).toEqual([])
  })

  it('gives a job that was settled with its claim again', async () => {
    const { engine } = await open()
    await addMany(engine, 2)
    const ask = () => engine.claim({ worker: 'worker-1', requestId: 'r-1', settle: true })
    const [first, again] = [await ask(), await ask()]
    expect(ids(again)).toEqual(ids(first))
    expect((await engine.stats()).counts).toMatchObject({ pending: 1, completed: 1 })
    expect(again.map(({ leaseUntil }) => typeof leaseUntil)).toEqual(['number'])
  })

  it('does not give a job again that its worker has finished', async () => {
    const { engine } = await open()
    await addMany(engine, 2)
    const job = await take(engine, { requestId: 'r-1' })
    await engine.complete({ id: job.id, version: job.version })
    expect(await engine.claim({ worker: 'worker-1', requestId: 'r-1' })).toEqual([])
    expect((await engine.stats()).counts.pending).toBe(1)
  })

  it('replaces the request that still waits', async () => {
    const { engine } = await open()
    const first = await inLine(engine, { requestId: 'r-1' })
    const again = engine.claim({ worker: 'waiter', waitMs: 30_000, requestId: 'r-1' })
    await settle()
    expect([await first.claim, engine.load.waitingClaims]).toEqual([[], 1])
    const id = await add(engine)
    expect(ids(await again)).toEqual([id])
  })

  it('replaces the request that still waits by a repeat that does not wait', async () => {
    const { engine } = await open()
    const first = await inLine(engine, { requestId: 'r-1' })
    const again = await engine.claim({ worker: 'waiter', requestId: 'r-1' })
    expect([await first.claim, again, engine.load.waitingClaims]).toEqual([[], [], 0])
    const id = await add(engine)
    await settle()
    expect(await engine.get({ id })).toMatchObject({ status: 'pending', version: 0 })
  })

  it('replaces a waiting exchange by a repeat that does not wait', async () => {
    const { engine } = await open()
    const first = engine.exchange({ worker: 'waiter', claim: { requestId: 'r-1', waitMs: 30_000 } })
    await settle()
    expect(engine.load.waitingClaims).toBe(1)
    const again = await engine.exchange({ worker: 'waiter', claim: { requestId: 'r-1' } })
    expect([(await first).jobs, again.jobs, engine.load.waitingClaims]).toEqual([[], [], 0])
  })

  it.each([0, 30_000])('gives the repeat what the first is claiming, with waitMs %i', async (waitMs) => {
    const { engine, store } = await open()
    const leaving = new AbortController()
    const first = await inLine(engine, { requestId: 'r-1' }, leaving.signal)
    store.hold()
    const adding = add(engine)
    await settle()
    leaving.abort()
    await settle()
    const again = engine.claim({ worker: 'waiter', requestId: 'r-1', waitMs })
    await settle()
    store.letGo()
    const id = await adding
    const [job] = await again
    await settle()
    expect([await first.claim, job?.id]).toEqual([[], id])
    expect(await engine.complete({ id, version: job?.version ?? 0 })).toMatchObject({ status: 'completed' })
  })

  it('lets two requests of one worker wait side by side', async () => {
    const { engine } = await open()
    const first = await inLine(engine, { requestId: 'r-1' })
    const second = await inLine(engine, { requestId: 'r-2' })
    const jobs = await addMany(engine, 2)
    expect([await first.claim, await second.claim]).toEqual([[jobs[0]], [jobs[1]]])
  })

  it('leaves its jobs to the repeat when the first asker is gone before the commit', async () => {
    const { engine } = await open()
    const id = await add(engine)
    const leaving = new AbortController()
    const ask = { worker: 'worker-1', requestId: 'r-1' }
    const first = engine.claim(ask, { signal: leaving.signal })
    const again = engine.claim(ask)
    leaving.abort()
    expect(await first).toEqual([])
    const [job] = await again
    expect(job?.id).toBe(id)
    await settle()
    expect(await engine.complete({ id, version: job?.version ?? 0 })).toMatchObject({ status: 'completed' })
  })

  it('can be asked again after its jobs were given back undelivered', async () => {
    const { engine, store } = await open()
    const leaving = new AbortController()
    const { claim } = await inLine(engine, { requestId: 'r-1' }, leaving.signal)
    store.hold()
    const adding = add(engine)
    await settle()
    leaving.abort()
    store.letGo()
    const id = await adding
    await settle()
    expect([await claim, (await engine.get({ id })).status]).toEqual([[], 'pending'])
    expect(ids(await engine.claim({ worker: 'waiter', requestId: 'r-1' }))).toEqual([id])
  })
})
