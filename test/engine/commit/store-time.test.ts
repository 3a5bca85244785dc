/** Store time: due times follow the clock of the database, which may be on another machine. */
import { expect, it } from 'vitest'
import { StoreTime } from '../../../server/engine/commit/store-time.ts'
import { TestClock } from '../../support/test-clock.ts'

it('store time follows the clock of the store, ahead or behind', async () => {
  const clock = new TestClock()
  const time = new StoreTime(clock)
  expect(time.now()).toBe(clock.now())
  time.observe(clock.now() - 5_000)
  expect(time.now()).toBe(clock.now() - 5_000)
  await clock.advance(100)
  expect(time.now()).toBe(clock.now() - 5_000)
  time.observe(clock.now() + 7_000)
  expect(time.now()).toBe(clock.now() + 7_000)
})

it('store time ignores a difference as small as the age of a commit', () => {
  const clock = new TestClock()
  const time = new StoreTime(clock)
  time.observe(clock.now() - 50)
  expect(time.now()).toBe(clock.now())
})
