/** The queue of waiting claims: first come, first served; a claim that cannot take a job does not block the others. */
import { expect, it } from 'vitest'
import { add, addMany, describeEngine, held, ids, inLine } from '../../support/engine.ts'
import { settle } from '../../support/test-clock.ts'

describeEngine('queue of waiting claims', (open) => {
  it('waiting claims are served in order of arrival', async () => {
    const { engine } = await open()
    const first = await inLine(engine, { worker: 'first' })
    const second = await inLine(engine, { worker: 'second' })
    const jobs = [await add(engine), await add(engine)]
    expect([await first.claim, await second.claim]).toEqual([[jobs[0]], [jobs[1]]])
    expect((await engine.list({ sort: 'oldest' })).jobs.map(({ lockedBy }) => lockedBy)).toEqual(['first', 'second'])
  })

  it('waiting claims are served before a new claim', async () => {
    const { engine } = await open()
    const first = await inLine(engine)
    const late = engine.claim({ worker: 'late' })
    const id = await add(engine)
    expect([await first.claim, ids(await late)]).toEqual([[id], []])
  })

  it('a waiting claim gets up to its limit before the next one is served', async () => {
    const { engine } = await open()
    const first = await inLine(engine, { worker: 'first', limit: 3 })
    const second = await inLine(engine, { worker: 'second', limit: 3 })
    const jobs = await addMany(engine, 4)
    expect(await first.claim).toEqual(jobs.slice(0, 3))
    expect(await second.claim).toEqual(jobs.slice(3))
  })

  it('a new job does not wake claims for other types', async () => {
    const { engine, store } = await open()
    const claim = await inLine(engine, { types: ['call'] })
    store.reset()
    await add(engine, { type: 'mail' })
    await settle()
    expect([engine.load.waitingClaims, store.count('claim')]).toEqual([1, 0])
    const call = await add(engine, { type: 'call' })
    expect(await claim.claim).toEqual([call])
  })

  it('a new job wakes the first claim that can take it', async () => {
    const { engine } = await open()
    await inLine(engine, { types: ['call'] })
    const second = await inLine(engine, { types: ['mail'] })
    const id = await add(engine, { type: 'mail' })
    expect(await second.claim).toEqual([id])
    expect(engine.load.waitingClaims).toBe(1)
  })

  const typed = { types: ['mail'] }
  it.each([
    ['both ask for the type', typed, typed],
    ['both ask for anything', {}, {}],
    ['the first asks for anything', {}, typed],
    ['the second asks for anything', typed, {}],
  ])('a job goes to the next waiting claim when the first must not take it: %s', async (_, first, second) => {
    const { engine } = await open()
    const back = await held(engine, {}, { worker: 'draining' })
    await engine.drainWorker({ worker: 'draining' })
    await inLine(engine, { worker: 'draining', ...first })
    const line = [await inLine(engine, second), await inLine(engine, second)]
    const id = await add(engine)
    await settle()
    expect(engine.load.waitingClaims).toBe(2)
    await engine.release({ id: back.id, version: back.version })
    await settle()
    expect(engine.load.waitingClaims).toBe(1)
    expect(await Promise.all(line.map(({ claim }) => claim))).toEqual([[id], [back.id]])
  })

  it('a job goes past several waiting claims that must not take it', async () => {
    const { engine } = await open()
    for (const worker of ['one', 'two', 'three']) {
      await held(engine, { type: 'call' }, { worker })
      await engine.drainWorker({ worker })
      await inLine(engine, { worker })
    }
    const last = await inLine(engine, { worker: 'last' })
    expect(await add(engine)).toBe((await last.claim)[0])
  })

  it.each(['message', 'command'] as const)('a waiting claim without types never gets a %s', async (kind) => {
    const { engine, store } = await open()
    await add(engine, { type: 'letters', kind })
    const plain = await inLine(engine)
    store.reset()
    await add(engine, { type: 'letters', kind })
    await settle()
    expect([engine.load.waitingClaims, store.count('claim')]).toEqual([1, 0])
    const named = ids(await engine.claim({ worker: 'postman', types: ['letters'], limit: 2 }))
    expect(named).toHaveLength(2)
    const id = await add(engine)
    expect(await plain.claim).toEqual([id])
  })

  it('a message that the first claim must not take does not go to a claim without types', async () => {
    const { engine } = await open()
    await held(engine, {}, { worker: 'draining' })
    await engine.drainWorker({ worker: 'draining' })
    await inLine(engine, { worker: 'draining', types: ['letters'] })
    const plain = await inLine(engine, { worker: 'plain' })
    const reader = await inLine(engine, { worker: 'reader', types: ['letters'] })
    const id = await add(engine, { type: 'letters', kind: 'message' })
    expect(await reader.claim).toEqual([id])
    const job = await add(engine)
    expect(await plain.claim).toEqual([job])
  })

  it('a claim takes the jobs with the highest priority across types', async () => {
    const { engine } = await open()
    const low = await add(engine, { type: 'mail', priority: 1 })
    const high = await add(engine, { type: 'call', priority: 5 })
    expect(ids(await engine.claim({ worker: 'worker-1', limit: 2 }))).toEqual([high, low])
  })
})
