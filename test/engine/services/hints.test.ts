/** Notifications between nodes on one PostgreSQL database; the test clock stands still, so that no poll runs. */
import { expect, it } from 'vitest'
import { add, describeEngine, inLine, postgres, until } from '../../support/engine.ts'
import { settle } from '../../support/test-clock.ts'

describeEngine(
  'hints between nodes',
  (open) => {
    it('a hint wakes a waiting claim for a job that another node stored', async () => {
      const { engine, another } = await open()
      const { engine: other } = await another()
      const { claim } = await inLine(engine)
      const id = await add(other)
      await until(() => engine.load.waitingClaims === 0)
      expect(await claim).toEqual([id])
    })

    it('hints are sent at once and then at most ten times a second', async () => {
      const { engine, store, clock } = await open()
      for (let n = 0; n < 5; n++) await add(engine)
      expect(store.calls('hint')).toBe(1)
      await clock.advance(99)
      expect(store.calls('hint')).toBe(1)
      await clock.advance(1)
      expect(store.calls('hint')).toBe(2)
      await clock.advance(1_000)
      expect(store.calls('hint')).toBe(2)
    })

    it('a hint causes no poll on its sender or on a node without waiting calls', async () => {
      const { engine, store, another } = await open()
      const { engine: other, store: otherStore } = await another()
      await inLine(engine, { types: ['call'] })
      await add(engine)
      await add(other)
      await until(() => store.calls('changedElsewhere') === 1)
      await settle()
      expect([store.calls('changedElsewhere'), otherStore.calls('changedElsewhere')]).toEqual([1, 0])
    })
  },
  [postgres],
)
