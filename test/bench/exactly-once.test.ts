/** Checks of bench:peers: lost, repeated and unfinished jobs invalidate a turn. */
import { expect, it } from 'vitest'
import { ExactlyOnce, storing } from '../../bench/peers/exactly-once.ts'
import type { Session } from '../../bench/peers/system.ts'

function sessionWith(...left: readonly number[]): Session {
  const rest = [...left]
  const unused = () => Promise.reject(new Error('not used'))
  return { enqueue: unused, enqueueMany: unused, work: unused, close: unused, left: async () => rest.shift() ?? 0 }
}

it('a turn is refused if a job did not run, ran twice or is not finished', async () => {
  const once = new ExactlyOnce()
  once.handle('a')
  once.handle('b')
  await expect(once.check(sessionWith(0), 2)).resolves.toBeUndefined()
  await expect(once.check(sessionWith(1), 2)).rejects.toThrow('1 of 2 jobs are not finished')
  await expect(once.check(sessionWith(0), 3)).rejects.toThrow('2 of them ran')
  once.handle('b')
  await expect(once.check(sessionWith(0), 2)).rejects.toThrow('3 times')
  await expect(once.check(sessionWith(0), 3)).rejects.toThrow('2 of them ran')
})

it('an enqueue turn is refused if fewer jobs are stored than acknowledged', async () => {
  await expect(storing(sessionWith(5, 15), 'enqueue', async () => ({ jobs: 10 }))).resolves.toEqual({ jobs: 10 })
  await expect(storing(sessionWith(5, 14), 'enqueue', async () => ({ jobs: 10 }))).rejects.toThrow(
    '10 jobs were acknowledged, but 9',
  )
})
