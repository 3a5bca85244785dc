/** Many waiting claims cost no more than one: claims that cannot be served are not retried. */
import { expect, it } from 'vitest'
import { add, addMany, describeEngine, ids, inLine } from '../../support/engine.ts'
import { settle } from '../../support/test-clock.ts'

const CROWD = 50

describeEngine('many waiting claims', (open) => {
  it('waiting claims are not all retried when a job arrives that none of them may take', async () => {
    const { engine, store } = await open()
    await engine.declareTypes({ types: [{ name: 'mail' }] })
    await engine.pauseType({ name: 'mail' })
    const line = []
    for (let n = 0; n < CROWD; n++) line.push(await inLine(engine, { types: ['mail'] }))
    store.reset()
    await addMany(engine, 10, { type: 'mail' })
    await settle()
    expect(store.count('claim')).toBeLessThanOrEqual(20)
    await engine.close()
    expect((await Promise.all(line.map(({ claim }) => claim))).flat()).toEqual([])
  })

  it('one waiting claim is retried per rate-limit token', async () => {
    const { engine, store, clock } = await open()
    await engine.declareTypes({ types: [{ name: 'mail', settings: { rate: 1, burst: 1 } }] })
    const jobs = await addMany(engine, 3, { type: 'mail' })
    expect(ids(await engine.claim({ worker: 'worker-1', types: ['mail'] }))).toEqual([jobs[0]])
    const line = []
    for (let n = 0; n < CROWD; n++) line.push(await inLine(engine, { types: ['mail'] }))
    store.reset()
    await clock.advance(1_000)
    expect([engine.load.waitingClaims, store.count('claim')]).toEqual([CROWD - 1, 1])
    await clock.advance(1_000)
    expect([engine.load.waitingClaims, store.count('claim')]).toEqual([CROWD - 2, 2])
    await engine.close()
    const served = (await Promise.all(line.map(({ claim }) => claim))).flat()
    expect(served).toEqual([jobs[1], jobs[2]])
  })

  it('all waiting claims get a job when many jobs become due at once without a scheduler', async () => {
    const { engine, clock } = await open()
    const line = []
    for (let n = 0; n < 5; n++) line.push(await inLine(engine, { types: ['mail'] }))
    for (let n = 0; n < 5; n++) await add(engine, { type: 'mail', delayMs: 1_000 })
    // Only this claim knows when the jobs become due.
    const last = await inLine(engine, { types: ['mail'] })
    await clock.advance(1_000)
    expect((await Promise.all(line.map(({ claim }) => claim))).flat()).toHaveLength(5)
    await engine.close()
    expect(await last.claim).toEqual([])
  })
})
