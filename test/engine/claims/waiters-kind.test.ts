/** Claims that wait for one kind are woken only by jobs of that kind. */
import { expect, it } from 'vitest'
import { add, describeEngine, inLine } from '../../support/engine.ts'

describeEngine('a claim that waits for a kind', (open) => {
  it('a claim that waits for messages takes the first message and no job', async () => {
    const { engine } = await open()
    const messages = await inLine(engine, { kind: 'message' })
    const named = await inLine(engine, { kind: 'message', types: ['news', 'mail'] })
    const jobs = await inLine(engine)
    const job = await add(engine, { type: 'mail' })
    expect(await jobs.claim).toEqual([job])
    expect(engine.load.waitingClaims).toBe(2)
    const [first, second] = [
      await add(engine, { type: 'topic', kind: 'message' }),
      await add(engine, { type: 'news', kind: 'message' }),
    ]
    expect([await messages.claim, await named.claim]).toEqual([[first], [second]])
  })
})
