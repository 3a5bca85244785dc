/** The clock of the system, where Node's own timers would surprise. */
import { expect, it, onTestFinished, vi } from 'vitest'
import { systemClock } from '../../server/base/clock.ts'

it('does not run at once what is to run in a year', () => {
  vi.useFakeTimers()
  onTestFinished(() => void vi.useRealTimers())
  let ran = 0
  systemClock.after(365 * 24 * 3_600_000, () => ran++)
  vi.advanceTimersByTime(60_000)
  expect(ran).toBe(0)
})
