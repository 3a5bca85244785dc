/** Looking for what others did: only while somebody waits, and never in a store that is being closed. */
import { expect, it } from 'vitest'
import { Watch } from '../../../server/engine/services/watch.ts'
import { settle, TestClock } from '../../support/test-clock.ts'

const POLL_MS = 250

/** A watch whose looks are answered by the test. */
function slowWatch() {
  const clock = new TestClock()
  const answers: ((changed: boolean) => void)[] = []
  let noticed = 0
  const store = { pollMs: POLL_MS, changedElsewhere: () => new Promise<boolean>((resolve) => answers.push(resolve)) }
  const onNews = async () => {
    await settle()
    noticed += 1
  }
  const errors: unknown[] = []
  const watch = new Watch(store, clock, onNews, (error) => errors.push(error))
  return { watch, clock, answers, errors, noticed: () => noticed }
}

it('stops only after the look under way, what it found included, and then looks no more', async () => {
  const { watch, clock, answers, errors, noticed } = slowWatch()
  watch.want(true)
  await clock.advance(POLL_MS)
  let isStopped = false
  const stopped = watch.stop().then(() => {
    isStopped = true
  })
  await settle()
  expect([answers.length, isStopped]).toEqual([1, false])
  answers[0]?.(true)
  await stopped
  watch.hinted()
  await clock.advance(10 * POLL_MS)
  expect([noticed(), answers.length, clock.pendingTimers, errors]).toEqual([1, 1, 0, []])
})

it('looks once at a time, however often it is hinted, and again a while later', async () => {
  const { watch, clock, answers } = slowWatch()
  watch.want(true)
  watch.hinted()
  watch.hinted()
  await clock.advance(10 * POLL_MS)
  expect(answers).toHaveLength(1)
  answers[0]?.(false)
  await clock.advance(POLL_MS)
  expect(answers).toHaveLength(2)
  watch.want(false)
  answers[1]?.(false)
  await clock.advance(POLL_MS)
  expect([answers.length, clock.pendingTimers]).toEqual([2, 0])
})

it('stops at once when it does not look', async () => {
  const { watch, clock } = slowWatch()
  await watch.stop()
  watch.want(true)
  await watch.stop()
  expect(clock.pendingTimers).toBe(0)
})
