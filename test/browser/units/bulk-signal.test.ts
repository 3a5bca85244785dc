/** Wake-up signal of the bulk poll loop. */
import { expect, it, onTestFinished, vi } from 'vitest'
import { WakeSignal } from '../../../client/live/bulk/bulk-signal.ts'

function waiting(signal: WakeSignal): { readonly isOver: () => boolean } {
  let isOver = false
  void signal.wait(2_000).then(() => {
    isOver = true
  })
  return { isOver: () => isOver }
}

it('ends a wait at a signal, at an earlier signal, and after the timeout', async () => {
  vi.useFakeTimers()
  onTestFinished(() => void vi.useRealTimers())
  const signal = new WakeSignal()
  const signalled = waiting(signal)
  await vi.advanceTimersByTimeAsync(1_999)
  expect(signalled.isOver()).toBe(false)
  signal.send()
  await vi.advanceTimersByTimeAsync(0)
  expect([signalled.isOver(), signal.isPending]).toEqual([true, false])

  signal.send()
  expect(signal.isPending).toBe(true)
  const earlier = waiting(signal)
  await vi.advanceTimersByTimeAsync(0)
  expect(earlier.isOver()).toBe(true)

  const timedOut = waiting(signal)
  await vi.advanceTimersByTimeAsync(1_999)
  expect(timedOut.isOver()).toBe(false)
  await vi.advanceTimersByTimeAsync(1)
  expect(timedOut.isOver()).toBe(true)
})
