/** What wakes the watch over a bulk operation: news, also news that came while it looked, or time. */
import { expect, it, onTestFinished, vi } from 'vitest'
import { Bell } from '../../../client/features/jobs/bulk/bulk-signal.ts'

function waiting(bell: Bell): { readonly isOver: () => boolean } {
  let isOver = false
  void bell.wait(2_000).then(() => {
    isOver = true
  })
  return { isOver: () => isOver }
}

it('wakes at news, at news that nobody waited for, and after the time', async () => {
  vi.useFakeTimers()
  onTestFinished(() => void vi.useRealTimers())
  const bell = new Bell()
  const news = waiting(bell)
  await vi.advanceTimersByTimeAsync(1_999)
  expect(news.isOver()).toBe(false)
  bell.ring()
  await vi.advanceTimersByTimeAsync(0)
  expect([news.isOver(), bell.hasRung]).toEqual([true, false])

  bell.ring()
  expect(bell.hasRung).toBe(true)
  const kept = waiting(bell)
  await vi.advanceTimersByTimeAsync(0)
  expect(kept.isOver()).toBe(true)

  const time = waiting(bell)
  await vi.advanceTimersByTimeAsync(1_999)
  expect(time.isOver()).toBe(false)
  await vi.advanceTimersByTimeAsync(1)
  expect(time.isOver()).toBe(true)
})
