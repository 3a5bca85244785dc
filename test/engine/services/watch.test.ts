/** Polling for commits of other processes: only while calls wait, and never in a store that is being closed. */
import { expect, it } from 'vitest'
import { Watch } from '../../../server/engine/services/watch.ts'
import { settle, TestClock } from '../../support/test-clock.ts'

const POLL_MS = 250

/** A watch whose polls the test resolves. */
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

it('a watch stops after the pending poll and its callback, and polls no more', async () => {
  const { watch, clock, answers, errors, noticed } = slowWatch()
  watch.setActive(true)
  await clock.advance(POLL_MS)
  let isStopped = false
  const stopped = watch.stop().then(() => {
    isStopped = true
  })
  await settle()
  expect([answers.length, isStopped]).toEqual([1, false])
  answers[0]?.(true)
  await stopped
  watch.pollNow()
  await clock.advance(10 * POLL_MS)
  expect([noticed(), answers.length, clock.pendingTimers, errors]).toEqual([1, 1, 0, []])
})

it('a watch runs one poll at a time, however often it is notified, and another after the interval', async () => {
  const { watch, clock, answers } = slowWatch()
  watch.setActive(true)
  watch.pollNow()
  watch.pollNow()
  await clock.advance(10 * POLL_MS)
  expect(answers).toHaveLength(1)
  answers[0]?.(false)
  await clock.advance(POLL_MS)
  expect(answers).toHaveLength(2)
  watch.setActive(false)
  answers[1]?.(false)
  await clock.advance(POLL_MS)
  expect([answers.length, clock.pendingTimers]).toEqual([2, 0])
})

it('a watch stops at once without a pending poll', async () => {
  const { watch, clock } = slowWatch()
  await watch.stop()
  watch.setActive(true)
  await watch.stop()
  expect(clock.pendingTimers).toBe(0)
})
