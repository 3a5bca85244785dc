/** Schedules that workers, clients and tq declare, and the tick that handlers get. */
import { describe, expect, it, onTestFinished } from 'vitest'
import { z } from 'zod'
import { createWorker } from '../../server/sdk/create-worker.ts'
import { createClient } from '../../server/sdk/declaring-client.ts'
import { defineJobs } from '../../server/sdk/jobs/define-jobs.ts'
import { openRemoteQueue } from '../../server/sdk/remote/remote-queue.ts'
import { RepeatedDeclaration } from '../../server/sdk/schedules/declare-schedules.ts'
import { defineSchedules } from '../../server/sdk/schedules/define-schedules.ts'
import { createTq } from '../../server/sdk/tq/tq.ts'
import type { TqOptions } from '../../server/sdk/tq/tq-interface.ts'
import type { WorkerEvent } from '../../server/worker/events.ts'
import { QueueError } from '../../shared/errors.ts'
import { HOUR, MINUTE } from '../../shared/limits.ts'
import type { JobTick } from '../../shared/schedules/schedule.ts'
import { describeEngine, refused, until } from '../support/engine.ts'
import { DATABASES, sqlite } from '../support/places.ts'
import { cuttable } from '../support/proxies/cuttable.ts'
import { describeServer, startOn } from '../support/server.ts'
import { TestClock } from '../support/test-clock.ts'

const jobs = defineJobs({
  report: { type: 'mail.report', payload: z.object({ format: z.string().default('pdf') }) },
  other: { payload: z.null() },
})

const rule = { cron: '0 3 * * *', timezone: 'Europe/Berlin' } as const
const nightly = defineSchedules(jobs, { nightly: { job: 'report', payload: {}, ...rule } }, { owner: 'billing' })
const none = defineSchedules(jobs, {}, { owner: 'billing', grace: '1h' })

describeServer(
  'declared schedules',
  (startServer) => {
    it('a worker declares its schedules, and its handlers get the tick', async () => {
      const { url, engine } = await startServer()
      const ticks: (JobTick | null)[] = []
      const worker = createWorker(
        openRemoteQueue({ url }),
        jobs,
        {
          report: ({ tick, payload }) =>
            void ticks.push(tick && { ...tick, schedule: `${tick.schedule} ${payload.format}` }),
        },
        { schedules: nightly },
      )
      onTestFinished(() => worker.stop({ graceMs: 0 }))
      await until(async () => (await engine.schedules()).schedules.length === 1)
      expect(await engine.schedule({ name: 'nightly' })).toMatchObject({
        ...{ owner: 'billing', override: {}, text: 'Every day at 03:00, Europe/Berlin' },
        declared: { type: 'mail.report', payload: { format: 'pdf' }, ...rule },
      })
      const { jobId } = await engine.runSchedule({ name: 'nightly' })
      await until(() => ticks.length === 1)
      expect(ticks).toMatchObject([{ schedule: 'nightly pdf', missed: 0, backfill: false }])
      await engine.enqueue({ type: 'mail.report', payload: {} })
      await until(() => ticks.length === 2)
      expect(ticks[1]).toBeNull()
      expect(await engine.get({ id: String(jobId) })).toMatchObject({ tick: { schedule: 'nightly' } })
    })

    it('a client declares its schedules with $declare, and one that is gone becomes orphaned', async () => {
      const { url, engine } = await startServer()
      await createClient({ url, jobs, schedules: nightly }).$declare()
      expect((await engine.schedules({ state: 'active' })).schedules).toMatchObject([{ name: 'nightly' }])
      await createClient({ url, jobs, schedules: none }).$declare()
      const row = await engine.schedule({ name: 'nightly' })
      expect(row.state).toBe('orphaned')
      expect(Number(row.stopsAt) - Number(row.orphanedAt)).toBe(HOUR)
      await createClient({ url, jobs, schedules: nightly }).$declare()
      expect((await engine.schedule({ name: 'nightly' })).state).toBe('active')
    })

    it('an error of a declaration names the owner, and the schedule of another owner is not taken', async () => {
      const { url } = await startServer()
      await createClient({ url, jobs, schedules: nightly }).$declare()
      const other = defineSchedules(jobs, { nightly: { job: 'report', payload: {}, ...rule } }, { owner: 'shop' })
      expect(await refused(createClient({ url, jobs, schedules: other }).$declare())).toMatchObject({
        code: 'WRONG_STATE',
        message: expect.stringMatching(
          /^The schedules of shop could not be declared: Schedule nightly belongs to the application billing;/,
        ),
      })
    })
  },
  DATABASES,
)

describe('schedules after an outage', () => {
  it('a worker declares its schedules again before it claims from a server with another database', async () => {
    const startServer = startOn(sqlite)
    const [first, second] = [await startServer(), await startServer()]
    const line = await cuttable(first.address.port)
    const worker = createWorker(
      openRemoteQueue({ url: line.url }),
      jobs,
      { report: () => {} },
      { schedules: nightly, waitMs: 1_000 },
    )
    worker.events.onAny(() => {})
    onTestFinished(() => worker.stop({ graceMs: 0 }))
    await until(async () => (await first.engine.schedules()).schedules.length === 1)
    line.lead(second.address.port)
    line.cut()
    await until(async () => (await second.engine.schedules()).schedules.length === 1)
    expect(await second.engine.schedule({ name: 'nightly' })).toMatchObject({ owner: 'billing', state: 'active' })
  })

  it('a token with the scope work may declare schedules of its types only', async () => {
    const { url, engine } = await startOn(sqlite)()
    const declare = async (typePrefix: string) => {
      const { token } = await engine.createToken({ scopes: ['work'], typePrefix, name: typePrefix })
      return createClient({ queue: openRemoteQueue({ url, token }), schedules: nightly, jobs: {} }).$declare()
    }
    expect(await refused(declare('sms.'))).toMatchObject({ code: 'FORBIDDEN' })
    await declare('mail.')
    expect((await engine.schedules()).schedules).toMatchObject([{ name: 'nightly' }])
  })
})

describeEngine('a worker with schedules', (open) => {
  it('declares them again within the grace period, after another process has declared an older set', async () => {
    const { engine, clock } = await open()
    const events: WorkerEvent[] = []
    const often = { nightly: { job: 'report', payload: {}, ...rule } } as const
    const schedules = defineSchedules(jobs, often, { owner: 'billing', grace: '4m' })
    const worker = createWorker(engine, jobs, { report: () => {} }, { schedules, clock })
    worker.events.onAny((event) => void events.push(event))
    const state = async () => (await engine.schedules()).schedules.map((row) => row.state)
    await until(async () => {
      await clock.advance(0)
      return (await state())[0] === 'active'
    })
    await engine.declareSchedules({ owner: 'billing', schedules: [] })
    expect(await state()).toEqual(['orphaned'])
    await clock.advance(MINUTE)
    await until(async () => {
      await clock.advance(0)
      return (await state())[0] === 'active'
    })
    expect(events.filter(({ kind }) => kind === 'orphaned')).toEqual([])
    const stopping = worker.stop({ graceMs: 0 })
    await clock.advance(0)
    await stopping
  })

  it('emits the names of the schedules that it no longer declares', async () => {
    const { engine, clock } = await open()
    await engine.declareSchedules({ owner: 'billing', schedules: [...(await nightly.declarations())] })
    const events: WorkerEvent[] = []
    const worker = createWorker(engine, jobs, { report: () => {} }, { schedules: none, clock })
    worker.events.on('orphaned', (event) => void events.push(event))
    await until(async () => {
      await clock.advance(0)
      return events.length === 1
    })
    expect(events).toEqual([{ kind: 'orphaned', schedules: ['nightly'], owner: 'billing' }])
    const stopping = worker.stop({ graceMs: 0 })
    await clock.advance(0)
    await stopping
  })
})

describe('a repeated declaration', () => {
  it('goes on after an error, and ends when it is stopped', async () => {
    const clock = new TestClock()
    let calls = 0
    let isDown = false
    const queue = {
      async declareSchedules() {
        calls += 1
        if (isDown) throw new QueueError('UNREACHABLE', 'no answer')
        return { created: [], changed: [], orphaned: [] }
      },
    }
    const repeated = new RepeatedDeclaration({ queue, clock, schedules: () => none, onDeclared: () => {} })
    await repeated.declare()
    isDown = true
    await clock.advance(15 * MINUTE)
    isDown = false
    await clock.advance(15 * MINUTE)
    expect(calls).toBe(3)
    repeated.stop()
    await clock.advance(HOUR)
    expect(calls).toBe(3)
  })
})

describe('schedules of tq', () => {
  const open = (url: string, options: TqOptions = {}) => {
    const tq = createTq({ url, onError: () => {}, ...options })
    onTestFinished(() => tq.stop({ graceMs: 0 }))
    return tq
  }

  it('tq declares the schedules of all types together, and handlers get the tick', async () => {
    const { url, engine } = await startOn(sqlite)()
    const tq = open(url, { owner: 'shop' })
    const ticks: (JobTick | null)[] = []
    tq('report')
      .setWorker((_, { tick }) => void ticks.push(tick))
      .schedule('nightly', { ...rule, payload: { format: 'pdf' } })
    tq('sync').schedule('often', { every: '45m', spread: '50%' })
    await until(async () => (await engine.schedules()).schedules.length === 2)
    tq('sync').schedule('seldom', { every: '2d' })
    await until(async () => (await engine.schedules({ state: 'active' })).schedules.length === 3)
    expect(await engine.schedule({ name: 'nightly' })).toMatchObject({ owner: 'shop', effective: { type: 'report' } })
    await engine.runSchedule({ name: 'nightly' })
    await until(() => ticks.length === 1)
    expect(ticks).toMatchObject([{ schedule: 'nightly' }])
  })

  it('tq refuses invalid rules and names that another type has, at the call', async () => {
    const { url } = await startOn(sqlite)()
    const tq = open(url)
    expect(() => tq('report').schedule('nightly', { cron: '0 3 * *' })).toThrow(/has 4 fields/)
    expect(() => tq('report').schedule('nightly', {})).toThrow(/needs either cron or every/)
    tq('report').schedule('nightly', rule)
    expect(() => tq('sync').schedule('nightly', rule)).toThrow(
      'The schedule nightly is for report already; give each schedule its own name.',
    )
  })

  it('tq declares its schedules when the server starts later', async () => {
    const server = await startOn(sqlite)()
    const line = await cuttable(1)
    const errors: unknown[] = []
    const tq = open(line.url, { onError: (error) => void errors.push(error) })
    tq('report').schedule('nightly', rule)
    await until(() => errors.length > 0)
    line.lead(server.address.port)
    await until(async () => (await server.engine.schedules()).schedules.length === 1)
    expect(await server.engine.schedule({ name: 'nightly' })).toMatchObject({ owner: 'tq', state: 'active' })
  })
})
