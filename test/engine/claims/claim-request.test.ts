/** Request ids: a claim whose response was lost can be repeated and returns the same jobs, never more. */
import { expect, it } from 'vitest'
import { add, addMany, describeEngine, ids, inLine, take } from '../../support/engine.ts'
import { settle } from '../../support/test-clock.ts'

describeEngine('claim request ids', (open) => {
  it('a repeated claim request returns the same jobs', async () => {
    const { engine } = await open()
    const jobs = await addMany(engine, 5)
    const ask = () => engine.claim({ worker: 'worker-1', limit: 2, requestId: 'r-1' })
    const [first, again] = [await ask(), await ask()]
    expect(ids(first)).toEqual(jobs.slice(0, 2))
    expect(again).toEqual(first)
    expect((await engine.stats()).counts).toMatchObject({ pending: 3, processing: 2 })
  })

  it('two concurrent claims with the same request id return the same jobs', async () => {
    const { engine } = await open()
    const [id] = await addMany(engine, 3)
    const ask = () => engine.claim({ worker: 'worker-1', requestId: 'r-1', waitMs: 5_000 })
    const [first, second] = await Promise.all([ask(), ask()])
    expect([ids(first), ids(second)]).toEqual([[id], [id]])
    expect((await engine.stats()).counts.processing).toBe(1)
  })

  it('a repeated claim request returns the same jobs through another engine', async () => {
    const { engine, another } = await open()
    const { engine: other } = await another()
    await addMany(engine, 2)
    const first = await engine.claim({ worker: 'worker-1', requestId: 'r-1' })
    expect(await other.claim({ worker: 'worker-1', requestId: 'r-1' })).toEqual(first)
  })

  it('a claim request id returns no jobs to another worker', async () => {
    const { engine } = await open()
    await addMany(engine, 2)
    await engine.claim({ worker: 'worker-1', requestId: 'r-1' })
    expect(await engine.claim({ worker: 'worker-2', requestId: 'r-1' })).toEqual([])
  })

  it('a repeated claim request returns a job that the first claim settled', async () => {
    const { engine } = await open()
    await addMany(engine, 2)
    const ask = () => engine.claim({ worker: 'worker-1', requestId: 'r-1', settle: true })
    const [first, again] = [await ask(), await ask()]
    expect(ids(again)).toEqual(ids(first))
    expect((await engine.stats()).counts).toMatchObject({ pending: 1, completed: 1 })
    expect(again.map(({ leaseUntil }) => typeof leaseUntil)).toEqual(['number'])
  })

  it('a repeated claim request does not return a completed job', async () => {
    const { engine } = await open()
    await addMany(engine, 2)
    const job = await take(engine, { requestId: 'r-1' })
    await engine.complete({ id: job.id, version: job.version })
    expect(await engine.claim({ worker: 'worker-1', requestId: 'r-1' })).toEqual([])
    expect((await engine.stats()).counts.pending).toBe(1)
  })

  it('a repeated claim request replaces the waiting one', async () => {
    const { engine } = await open()
    const first = await inLine(engine, { requestId: 'r-1' })
    const again = engine.claim({ worker: 'waiter', waitMs: 30_000, requestId: 'r-1' })
    await settle()
    expect([await first.claim, engine.load.waitingClaims]).toEqual([[], 1])
    const id = await add(engine)
    expect(ids(await again)).toEqual([id])
  })

  it('a repeated claim request without waitMs ends the waiting one', async () => {
    const { engine } = await open()
    const first = await inLine(engine, { requestId: 'r-1' })
    const again = await engine.claim({ worker: 'waiter', requestId: 'r-1' })
    expect([await first.claim, again, engine.load.waitingClaims]).toEqual([[], [], 0])
    const id = await add(engine)
    await settle()
    expect(await engine.get({ id })).toMatchObject({ status: 'pending', version: 0 })
  })

  it('a repeated exchange without waitMs ends the waiting one', async () => {
    const { engine } = await open()
    const first = engine.exchange({ worker: 'waiter', claim: { requestId: 'r-1', waitMs: 30_000 } })
    await settle()
    expect(engine.load.waitingClaims).toBe(1)
    const again = await engine.exchange({ worker: 'waiter', claim: { requestId: 'r-1' } })
    expect([(await first).jobs, again.jobs, engine.load.waitingClaims]).toEqual([[], [], 0])
  })

  it.each([0, 30_000])(
    'a repeated claim request gets the job that an aborted claim is committing, with waitMs %i',
    async (waitMs) => {
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
    },
  )

  it('two claim requests of one worker can wait at the same time', async () => {
    const { engine } = await open()
    const first = await inLine(engine, { requestId: 'r-1' })
    const second = await inLine(engine, { requestId: 'r-2' })
    const jobs = await addMany(engine, 2)
    expect([await first.claim, await second.claim]).toEqual([[jobs[0]], [jobs[1]]])
  })

  it('a repeated claim request gets the jobs when the first caller disconnects before the commit', async () => {
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

  it('a claim request can be repeated after its undelivered jobs were released', async () => {
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
