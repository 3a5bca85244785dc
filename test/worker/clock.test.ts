/** System clock: delays beyond the limit of `setTimeout`. */
import { expect, it, onTestFinished, vi } from 'vitest'
import { systemClock } from '../../server/base/clock.ts'

it('the system clock does not fire a timer of one year immediately', () => {
  vi.useFakeTimers()
  onTestFinished(() => void vi.useRealTimers())
  let ran = 0
  systemClock.after(365 * 24 * 3_600_000, () => ran++)
  vi.advanceTimersByTime(60_000)
  expect(ran).toBe(0)
})
