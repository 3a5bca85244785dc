/** Name of the process that a worker reports. */
import { expect, it, onTestFinished, vi } from 'vitest'
import { thisProcess } from '../../server/worker/this-process.ts'

it('a process keeps one name when its clocks are read at slightly different times', () => {
  const uptime = process.uptime()
  const reading = vi.spyOn(process, 'uptime')
  onTestFinished(() => reading.mockRestore())
  // A thread may be suspended between reading one clock and the other.
  const names = [0, 0.06, 0.12].map((late) => {
    reading.mockReturnValue(uptime + late)
    return thisProcess()
  })
  expect(new Set(names).size).toBe(1)
})
