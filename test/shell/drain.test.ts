/** Repeated drains: each exits with 0, loses no job, and releases unfinished jobs at once. */
import { describe, expect, it } from 'vitest'
import type { Queue } from '../../shared/queue.ts'
import { seeded } from '../support/seeded.ts'
import { addCommand, file, type OpenHome, server } from './support/homes.ts'
import { processesOf } from './support/processes.ts'
import { queuectl, type Workers } from './support/queuectl.ts'

/** `npm run torture:drain` runs many more. */
const DRAINS = Number(process.env.TORTURE_DRAINS ?? 6)
const JOBS = 8

/** Ways to request a drain; in the first two some commands exceed the grace. */
const WAYS = ['a short grace', 'two signals', 'a long grace', 'worker stop', 'while jobs come'] as const

describe.each([file, server])('draining workers on $name', (home) => {
  it(
    `ends well, ${DRAINS / 2} times`,
    async () => {
      const { seed, random } = seeded()
      const open = await home.open()
      const all: string[] = []
      const add = async (count: number) => {
        const commands = Array.from({ length: count }, () => `sleep ${(0.02 + random() * 0.5).toFixed(3)}; echo done`)
        return Promise.all(commands.map((command) => addCommand(open.queue, { command }, { maxAttempts: 1 })))
      }
      for (let round = 0; round < DRAINS / 2; round++) {
        const way = WAYS[round % WAYS.length] ?? 'two signals'
        const about = `seed ${seed}, round ${round}, ${way}`
        const ids = await add(JOBS)
        const size = ['--count', `${1 + (round % 2)}`, '--concurrency', '2']
        const workers = await queuectl.startWorkers(
          open.url,
          ...size,
          '--grace',
          way === 'a short grace' ? '100ms' : '60s',
        )
        if (way === 'while jobs come') {
          await waitForEvents(workers, 'success', JOBS)
          workers.child.kill('SIGTERM')
          ids.push(...(await add(4)))
        } else {
          await waitForEvents(workers, 'claimed', 1 + Math.floor(random() * JOBS))
          await ask(workers, open, way)
        }
        expect(await workers.ended, `${about}: ${workers.stderr()}`).toBe(0)
        expect(await wrongs(open.queue, ids), about).toEqual([])
        expect(processesOf(...ids), about).toEqual([])
        all.push(...ids)
      }
      await finish(open)
      const jobs = await Promise.all(all.map((id) => open.queue.get({ id })))
      expect(jobs.filter(({ status, attempts }) => status !== 'completed' || attempts !== 1)).toEqual([])
    },
    60_000 + DRAINS * 6_000,
  )
})

/** Waits for a number of these events. */
async function waitForEvents(workers: Workers, kind: string, count: number): Promise<void> {
  await workers.waitFor(() => workers.events.filter((event) => event.kind === kind).length >= count)
}

async function ask(workers: Workers, { url }: OpenHome, way: (typeof WAYS)[number]): Promise<void> {
  if (way === 'worker stop') {
    expect(await queuectl.run(url, 'worker', 'stop')).toMatchObject({ exitCode: 0 })
    return
  }
  workers.child.kill('SIGTERM')
  if (way === 'two signals') workers.child.kill('SIGINT')
}

/** Unfinished jobs must be stored, claimable at once, without a counted attempt. */
async function wrongs(queue: Queue, ids: readonly string[]): Promise<readonly object[]> {
  const jobs = await Promise.all(ids.map((id) => queue.get({ id })))
  return jobs.filter(
    ({ status, attempts, crashes }) => status !== 'completed' && (status !== 'pending' || attempts + crashes > 0),
  )
}

/** A last run completes the remaining jobs. */
async function finish({ url, queue }: OpenHome): Promise<void> {
  const workers = await queuectl.startWorkers(url, '--concurrency', '10')
  await expect.poll(async () => (await queue.counts()).pending, { timeout: 60_000, interval: 100 }).toBe(0)
  workers.child.kill('SIGTERM')
  expect(await workers.ended).toBe(0)
}
