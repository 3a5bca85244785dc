/** `defineSchedules`: rules, options and payloads are checked when they are defined. */
import { describe, expect, it } from 'vitest'
import { z } from 'zod'
import { defineJobs } from '../../server/sdk/jobs/define-jobs.ts'
import { defineSchedules } from '../../server/sdk/schedules/define-schedules.ts'
import { refused } from '../support/engine.ts'

const jobs = defineJobs({
  report: { type: 'mail.report', payload: z.object({ format: z.enum(['pdf', 'csv']).default('pdf') }) },
  sync: { payload: z.object({ tenant: z.string() }) },
  ping: { payload: z.object({ slow: z.boolean() }).optional() },
})

const rule = { cron: '0 3 * * *' } as const

describe('defineSchedules', () => {
  it('defineSchedules stores the type of the job and the payload with its defaults', async () => {
    const schedules = defineSchedules(
      jobs,
      {
        nightly: { job: 'report', payload: {}, cron: '0 3 * * *', timezone: 'Europe/Berlin' },
        sync: { job: 'sync', payload: { tenant: 'a' }, every: '45m', spread: '50%', overlap: 'queueOne' },
        ping: { job: 'ping', every: 60_000 },
      },
      { owner: 'billing', grace: '2h' },
    )
    expect(schedules).toMatchObject({ names: ['nightly', 'sync', 'ping'], owner: 'billing', graceMs: 7_200_000 })
    expect(await schedules.declarations()).toEqual([
      {
        name: 'nightly',
        type: 'mail.report',
        payload: { format: 'pdf' },
        cron: '0 3 * * *',
        timezone: 'Europe/Berlin',
      },
      { name: 'sync', type: 'sync', payload: { tenant: 'a' }, every: '45m', spread: '50%', overlap: 'queueOne' },
      { name: 'ping', type: 'ping', payload: null, every: 60_000 },
    ])
  })

  it.each([
    [{ cron: '0 3 * *' }, /^The schedule nightly failed validation: cron: has 4 fields; a cron expression has five/],
    [{ cron: '61 3 * * *' }, /cron: .*write it as minute hour day month weekday, for example 0 3 \* \* \*/],
    [{ cron: '@daly' }, /@daly is not known; use @daily/],
    [{ cron: '0 3 * * *', timezone: 'Europe/Belrin' }, /timezone: .*did you mean Europe\/Berlin\?/],
    [{ every: 'soon' }, /every: must look like 30s, 10m, 1h30m or 7d/],
    [{ every: '10ms' }, /every: /],
    [{ cron: '0 3 * * *', every: '1h' }, /cron: needs either cron or every/],
    [{}, /cron: needs either cron or every: cron: "0 3 \* \* \*", or every: "45m"/],
    [{ cron: '0 3 * * *', offset: '5m' }, /offset: shifts the ticks of every; with cron write the shifted time/],
    [{ ...rule, startsAt: 2_000, endsAt: 1_000 }, /endsAt: must be after startsAt: the schedule would never run/],
    [{ ...rule, startsAt: 2_000, endsAt: 2_000 }, /endsAt: must be after startsAt/],
    [{ ...rule, overlap: 'wait' }, /overlap: /],
    [{ ...rule, spred: '10m' }, /Unrecognized key: "spred"; did you mean spread\?/],
  ])('defineSchedules refuses %j with what to do', (settings, message) => {
    const unchecked: object = { job: 'sync', payload: { tenant: 'a' }, ...settings }
    // @ts-expect-error the compiler refuses most of these
    expect(() => defineSchedules(jobs, { nightly: unchecked })).toThrow(message)
  })

  it('defineSchedules refuses a payload that does not fit the schema of the job', () => {
    // @ts-expect-error tenant is a string
    expect(() => defineSchedules(jobs, { sync: { job: 'sync', payload: { tenant: 7 }, ...rule } })).toThrow(
      'The payload of the schedule sync failed validation: tenant: ',
    )
  })

  it('defineSchedules refuses a job that is not defined, and suggests one', () => {
    // @ts-expect-error no such job
    expect(() => defineSchedules(jobs, { sync: { job: 'snyc', payload: {}, ...rule } })).toThrow(
      'The schedule sync is for the job snyc, which is not defined; did you mean sync?',
    )
  })

  it('defineSchedules refuses more schedules than one declaration takes', () => {
    const many = Object.fromEntries(
      Array.from({ length: 1_001 }, (_, n) => [`s${n}`, { job: 'ping', ...rule } as const]),
    )
    expect(() => defineSchedules(jobs, many)).toThrow(
      'default defines 1001 schedules; the limit is 1000. Create schedules that come from data with createSchedule.',
    )
  })

  it('defineSchedules refuses an unknown option, and an owner without a name', () => {
    // @ts-expect-error no such option
    expect(() => defineSchedules(jobs, {}, { onwer: 'a' })).toThrow('did you mean owner?')
    expect(() => defineSchedules(jobs, {}, { owner: '' })).toThrow('The owner of the schedules failed validation')
  })

  it('a payload with asynchronous checks is refused when the schedules are declared', async () => {
    const slow = defineJobs({ slow: { payload: z.string().refine(async (text) => text === 'right', 'is wrong') } })
    const wrong = defineSchedules(slow, { s: { job: 'slow', payload: 'wrong', ...rule } })
    expect(await refused(wrong.declarations())).toMatchObject({
      code: 'BAD_INPUT',
      message: 'The payload of the schedule s failed validation: is wrong',
    })
    const right = defineSchedules(slow, { s: { job: 'slow', payload: 'right', ...rule } })
    expect(await right.declarations()).toEqual([{ name: 's', type: 'slow', payload: 'right', ...rule }])
  })
})
