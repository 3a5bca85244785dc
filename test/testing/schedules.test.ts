/** Schedules of a test queue: the clock of the test drives them. */
import { describe, expect, it, onTestFinished } from 'vitest'
import { z } from 'zod'
import { defineJobs } from '../../server/sdk/jobs/define-jobs.ts'
import { defineSchedules } from '../../server/sdk/schedules/define-schedules.ts'
import { createTestQueue } from '../../server/sdk/testing/test-queue.ts'
import { DAY, HOUR } from '../../shared/limits.ts'
import type { JobTick } from '../../shared/schedules/schedule.ts'
import { refused } from '../support/engine.ts'

const jobs = defineJobs({
  report: { payload: z.object({ format: z.string().default('pdf') }) },
  sync: { payload: z.object({ tenant: z.string() }) },
})

const nightly = defineSchedules(jobs, {
  nightly: { job: 'report', payload: {}, cron: '30 2 * * *', timezone: 'Europe/Berlin' },
})

function testQueue(schedules = nightly, startsAt = Date.UTC(2030, 0, 1, 12)) {
  const queue = createTestQueue({ jobs, schedules, startsAt })
  onTestFinished(() => queue.close())
  return queue
}

const berlin = new Intl.DateTimeFormat('en-GB', { timeZone: 'Europe/Berlin', timeStyle: 'short' })

describe('schedules of a test queue', () => {
  it('a year of a daily schedule runs one job at each tick, also when the clocks change', async () => {
    const queue = testQueue()
    const ticks: (JobTick | null)[] = []
    const drained = await queue.run('365d', {
      report: ({ tick }) => void ticks.push(tick),
    })
    expect([drained.length, ticks.length]).toEqual([365, 365])
    const times = ticks.map((tick) => berlin.format(tick?.at))
    // 2030-03-31 has no 02:30 in Berlin.
    expect(times.filter((time) => time !== '02:30')).toEqual(['03:00'])
    expect(ticks[1]).toEqual({
      ...{ schedule: 'nightly', at: Date.UTC(2030, 0, 3, 1, 30), previous: Date.UTC(2030, 0, 2, 1, 30) },
      ...{ missed: 0, backfill: false },
    })
    expect(await queue.schedule({ name: 'nightly' })).toMatchObject({ runs: 365, state: 'active', owner: 'default' })
  })

  it('advance enqueues the jobs of due schedules without running them', async () => {
    const queue = testQueue()
    await queue.advance('14h')
    expect(await queue.counts()).toMatchObject({ pending: 1 })
    expect(queue.expectEnqueued('report', { format: 'pdf' })).toMatchObject({
      tick: { schedule: 'nightly', at: Date.UTC(2030, 0, 2, 1, 30), previous: null },
    })
  })

  it('ticks are skipped while the job of an earlier tick waits, as on a server', async () => {
    const queue = testQueue()
    await queue.advance('3d')
    const { ticks, runs } = await queue.schedule({ name: 'nightly' })
    expect([runs, ticks.map(({ outcome }) => outcome)]).toEqual([1, ['skipped', 'skipped', 'enqueued']])
  })

  it('retries between two ticks run at their time', async () => {
    const queue = testQueue()
    let runs = 0
    const drained = await queue.run('1d', {
      report: () => {
        runs += 1
        if (runs === 1) throw new Error('not yet')
      },
    })
    expect(drained.map(({ attempt, status }) => [attempt, status])).toEqual([
      [1, 'retrying'],
      [2, 'completed'],
    ])
  })

  it('schedules of a test queue are there at once, and can be run, paused and changed', async () => {
    const queue = testQueue()
    expect((await queue.schedules()).schedules).toMatchObject([
      { name: 'nightly', nextTickAt: Date.UTC(2030, 0, 2, 1, 30) },
    ])
    await queue.pauseSchedule({ name: 'nightly', note: 'holiday' })
    await queue.advance('2d')
    expect(await queue.counts()).toMatchObject({ pending: 0 })
    expect(await queue.runSchedule({ name: 'nightly' })).toMatchObject({ outcome: 'enqueued' })
    expect(await queue.drain({ report: () => null })).toMatchObject([{ type: 'report', status: 'completed' }])
  })

  it('run executes jobs that are due at the end of the time', async () => {
    const queue = testQueue(defineSchedules(jobs, { hourly: { job: 'sync', payload: { tenant: 'a' }, every: '1h' } }))
    const drained = await queue.run(3 * HOUR, { sync: () => null })
    expect(drained.length).toBe(3)
  })

  it('the first call rejects when the schedules cannot be declared', async () => {
    const slow = defineJobs({ slow: { payload: z.string().refine(async () => false, 'is wrong') } })
    const schedules = defineSchedules(slow, { s: { job: 'slow', payload: 'x', cron: '@daily' } })
    const queue = createTestQueue({ jobs: slow, schedules })
    onTestFinished(() => queue.close())
    expect(await refused(queue.advance(DAY))).toMatchObject({ message: expect.stringMatching(/is wrong$/) })
    expect(await refused(queue.schedules())).toMatchObject({ code: 'BAD_INPUT' })
  })
})
