/** Tests of the test clock. */
import { describe, expect, it } from 'vitest'
import { START, TestClock } from './test-clock.ts'

describe('TestClock', () => {
  it('moves wall and monotonic time together', async () => {
    const clock = new TestClock()
    await clock.advance(1_500)
    expect([clock.now(), clock.monotonic()]).toEqual([START + 1_500, 1_500])
  })

  it('fires due timers in order of time, then of arming', async () => {
    const clock = new TestClock()
    const fired: string[] = []
    clock.after(20, () => fired.push(`late at ${clock.now() - START}`))
    clock.after(10, () => fired.push(`first at ${clock.now() - START}`))
    clock.after(10, () => fired.push(`second at ${clock.now() - START}`))
    clock.after(21, () => fired.push('too early'))
    await clock.advance(20)
    expect(fired).toEqual(['first at 10', 'second at 10', 'late at 20'])
    expect(clock.pendingTimers).toBe(1)
  })

  it('runs chains of timer, immediate and timer inside one advance', async () => {
    const clock = new TestClock()
    const at: number[] = []
    const step = (): void => {
      at.push(clock.monotonic())
      setImmediate(() => void Promise.resolve().then(() => clock.after(10, step)))
    }
    clock.after(10, step)
    await clock.advance(35)
    expect(at).toEqual([10, 20, 30])
  })

  it('fires a timer without delay that is armed at the end of the advance', async () => {
    const clock = new TestClock()
    const fired: number[] = []
    clock.after(10, () => clock.after(0, () => fired.push(clock.monotonic())))
    await clock.advance(10)
    expect(fired).toEqual([10])
  })

  it('does not fire cancelled timers', async () => {
    const clock = new TestClock()
    const fired: number[] = []
    const timer = clock.after(10, () => fired.push(1))
    timer.cancel()
    timer.cancel()
    await clock.advance(10)
    expect([fired, clock.pendingTimers]).toEqual([[], 0])
  })

  it('jumps the wall clock without touching timers', async () => {
    const clock = new TestClock()
    const fired: number[] = []
    clock.after(10, () => fired.push(clock.now() - START))
    clock.jump(-3_600_000)
    expect(fired).toEqual([])
    await clock.advance(10)
    expect(fired).toEqual([-3_600_000 + 10])
  })
})
