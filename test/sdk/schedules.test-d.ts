/** Types of schedules: payloads fit their jobs, and handlers know their tick. */
import { expectTypeOf, test } from 'vitest'
import { z } from 'zod'
import {
  createClient,
  createWorker,
  defineJobs,
  defineSchedules,
  type JobTick,
  openQueue,
  type Queue,
  type Schedules,
} from '../../server/index.ts'
import { createClient as createSmallClient } from '../../server/sdk/entries/client.ts'
import { tq } from '../../server/sdk/entries/tq.ts'
import { createTestQueue } from '../../server/sdk/testing/test-queue.ts'

const jobs = defineJobs({
  report: { payload: z.object({ format: z.enum(['pdf', 'csv']), pages: z.int().default(1) }) },
  ping: { payload: z.object({ slow: z.boolean() }).optional() },
})

test('a schedule takes the input of the schema of its job', () => {
  const schedules = defineSchedules(jobs, {
    nightly: { job: 'report', payload: { format: 'pdf' }, cron: '0 3 * * *', timezone: 'Europe/Berlin' },
    often: { job: 'ping', every: '45m', spread: '50%', catchUp: 'all', overlap: 'queueOne' },
  })
  expectTypeOf(schedules).toEqualTypeOf<Schedules>()
  void (() => {
    // @ts-expect-error another payload
    defineSchedules(jobs, { nightly: { job: 'report', payload: { format: 'doc' }, cron: '0 3 * * *' } })
    // @ts-expect-error the payload of another job
    defineSchedules(jobs, { nightly: { job: 'ping', payload: { format: 'pdf' }, cron: '0 3 * * *' } })
    // @ts-expect-error no payload
    defineSchedules(jobs, { nightly: { job: 'report', cron: '0 3 * * *' } })
    // @ts-expect-error a key that the payload does not have
    defineSchedules(jobs, { nightly: { job: 'report', payload: { format: 'pdf', colour: 1 }, cron: '0 3 * * *' } })
    // @ts-expect-error no such job
    defineSchedules(jobs, { nightly: { job: 'reprot', payload: { format: 'pdf' }, cron: '0 3 * * *' } })
    // @ts-expect-error no rule
    defineSchedules(jobs, { often: { job: 'ping' } })
    // @ts-expect-error two rules
    defineSchedules(jobs, { often: { job: 'ping', cron: '@daily', every: '1h' } })
    // @ts-expect-error an offset shifts intervals only
    defineSchedules(jobs, { often: { job: 'ping', cron: '@daily', offset: '1h' } })
    // @ts-expect-error no such policy
    defineSchedules(jobs, { often: { job: 'ping', every: '1h', overlap: 'wait' } })
    // @ts-expect-error no such option
    defineSchedules(jobs, { often: { job: 'ping', every: '1h', jitter: '1m' } })
  })
})

test('workers, clients and test queues take schedules; the small client does not', () => {
  const schedules = defineSchedules(jobs, {})
  void (async (queue: Queue) => {
    createWorker(queue, jobs, { ping: () => {} }, { schedules })
    await createClient({ queue, jobs, schedules }).$declare()
    createClient({ url: 'http://127.0.0.1:3000', jobs, schedules })
    createClient({ queue: await openQueue('sqlite::memory:'), jobs, schedules })
    createTestQueue({ jobs, schedules })
    // @ts-expect-error defined schedules only
    createWorker(queue, jobs, { ping: () => {} }, { schedules: { often: { job: 'ping', every: '1h' } } })
    // @ts-expect-error it cannot declare
    createSmallClient({ url: 'http://127.0.0.1:3000', jobs, schedules })
  })
})

test('handlers get the tick of their job, or null', () => {
  void ((queue: Queue) => {
    createWorker(queue, jobs, {
      report: ({ tick }) => {
        expectTypeOf(tick).toEqualTypeOf<JobTick | null>()
        if (tick) expectTypeOf(tick.at).toEqualTypeOf<number>()
      },
    })
    tq<{ format: string }>('report')
      .setWorker((_, { tick }) => expectTypeOf(tick).toEqualTypeOf<JobTick | null>())
      .schedule('nightly', { cron: '@daily', payload: { format: 'pdf' } })
      // @ts-expect-error another payload
      .schedule('nightly', { cron: '@daily', payload: { format: 1 } })
  })
})
