/** Verbs of schedules: declared in code, changed by operators, run by hand, backfilled, explained. */
import { expect, it } from 'vitest'
import type { ScheduleCreateInput } from '../../../shared/contracts/schedules.ts'
import { DAY, HOUR, MINUTE, SECOND } from '../../../shared/limits.ts'
import { describeEngine, refused, started, take } from '../../support/engine.ts'
import { START, settle } from '../../support/test-clock.ts'

const daily = (input: Partial<ScheduleCreateInput> = {}): ScheduleCreateInput => ({
  name: 'nightly',
  type: 'report',
  payload: { secret: 1 },
  cron: '0 3 * * *',
  timezone: 'Europe/Berlin',
  ...input,
})
const NEXT = Date.UTC(2026, 4, 18, 1)
const named = { name: 'nightly' }

describeEngine('verbs of schedules', (open) => {
  it('a schedule of an operator is created once, read, changed and deleted', async () => {
    const { engine, clock } = await open()
    const created = await engine.createSchedule({ ...daily(), actor: 'ada' })
    expect(created).toMatchObject({
      ...{ owner: null, declared: null, state: 'active', nextTickAt: NEXT, nextRunAt: NEXT, runs: 0, revision: 1 },
      text: 'Every day at 03:00, Europe/Berlin',
    })
    expect((await refused(engine.createSchedule(daily()))).code).toBe('WRONG_STATE')
    await clock.advance(MINUTE)
    const changed = await engine.updateSchedule({ ...named, set: { every: '1h', priority: 5 }, actor: 'ada' })
    expect(changed.effective).toMatchObject({ cron: null, every: HOUR, priority: 5 })
    expect(changed.nextTickAt).toBe(Date.UTC(2026, 4, 17, 10))
    expect(await engine.schedule(named)).toMatchObject({
      ticks: [],
      next: [{ at: changed.nextTickAt, note: null }, {}, {}, {}, {}],
    })
    await engine.deleteSchedule({ ...named, actor: 'ada' })
    expect((await refused(engine.schedule(named))).code).toBe('NOT_FOUND')
    const audit = await engine.auditTrail({ target: 'nightly' })
    expect(audit.map(({ actor, action }) => [actor, action])).toEqual([
      ['ada', 'schedules.delete'],
      ['ada', 'schedules.update'],
      ['ada', 'schedules.create'],
    ])
    expect(JSON.stringify(audit)).not.toContain('secret')
  })

  it('verbs refuse an unknown schedule', async () => {
    const { engine } = await open()
    const calls = [
      engine.schedule(named),
      engine.explainSchedule(named),
      engine.previewSchedule(named),
      engine.updateSchedule({ ...named, set: {} }),
      engine.pauseSchedule(named),
      engine.resumeSchedule(named),
      engine.runSchedule(named),
      engine.deleteSchedule(named),
      engine.backfillSchedule({ ...named, from: 1, to: 2 }),
    ]
    const errors = await Promise.all(calls.map(refused))
    expect(errors.map(({ code }) => code)).toEqual(calls.map(() => 'NOT_FOUND'))
  })

  it('a change of the payload keeps a tick that is still to be caught up, a change of the rule does not', async () => {
    const { engine, clock } = await open()
    const { nextTickAt } = await engine.createSchedule(daily({ every: '10m', cron: undefined }))
    await clock.advance(HOUR)
    expect((await engine.updateSchedule({ ...named, set: { payload: 2 } })).nextTickAt).toBe(nextTickAt)
    expect((await engine.updateSchedule({ ...named, set: { every: '20m' } })).nextTickAt).toBeGreaterThan(clock.now())
  })

  it('an offset needs an interval, and goes with it', async () => {
    const { engine } = await open()
    await engine.createSchedule(daily())
    const calls = [
      engine.createSchedule(daily({ name: 'other', offset: '5m' })),
      engine.updateSchedule({ ...named, set: { cron: '0 4 * * *', offset: '5m' } }),
      engine.updateSchedule({ ...named, set: { offset: '5m' } }),
      engine.previewSchedule({ settings: { cron: '0 3 * * *', offset: '5m' } }),
    ]
    for (const error of await Promise.all(calls.map(refused))) {
      expect(error).toMatchObject({ code: 'BAD_INPUT', message: expect.stringContaining('shift') })
    }
    await engine.updateSchedule({ ...named, set: { every: '1h', offset: '5m' } })
    const { override, effective } = await engine.updateSchedule({ ...named, set: { cron: '0 4 * * *' } })
    expect([override.offset, effective.offset]).toEqual([undefined, 0])
  })

  it('a schedule that would end before it starts is refused', async () => {
    const { engine } = await open()
    const bounds = { startsAt: 2_000, endsAt: 1_000 }
    await engine.createSchedule(daily({ endsAt: 5_000 }))
    const calls = [
      engine.createSchedule(daily({ name: 'other', ...bounds })),
      engine.updateSchedule({ ...named, set: bounds }),
      engine.updateSchedule({ ...named, set: { startsAt: 5_000 } }),
      engine.previewSchedule({ settings: { cron: '0 3 * * *', ...bounds } }),
    ]
    for (const error of await Promise.all(calls.map(refused))) {
      expect(error).toMatchObject({ code: 'BAD_INPUT', message: expect.stringContaining('would never run') })
    }
  })

  it('a paused schedule has no ticks, runs on request, and continues after now', async () => {
    const { engine, clock } = await started(open())
    await engine.createSchedule(daily({ cron: undefined, every: '10s', catchUp: 'all' }))
    await engine.pauseSchedule({ ...named, note: 'maintenance', actor: 'ada' })
    expect(await engine.explainSchedule(named)).toMatchObject({
      ...{ state: 'paused', reason: 'paused', at: null, text: expect.stringContaining('maintenance') },
    })
    await clock.advance(25 * SECOND)
    const { outcome, jobId } = await engine.runSchedule({ ...named, actor: 'ada' })
    const job = await take(engine)
    expect([outcome, job.id, job.tick]).toEqual([
      'enqueued',
      jobId,
      { schedule: 'nightly', at: START + 25 * SECOND, previous: null, missed: 0, backfill: false },
    ])
    expect((await engine.schedule(named)).ticks).toMatchObject([{ origin: 'manual', jobId, note: 'Run by ada.' }])
    expect(await engine.resumeSchedule(named)).toMatchObject({
      state: 'active',
      paused: null,
      nextTickAt: START + 35 * SECOND,
    })
    expect((await engine.schedule(named)).runs).toBe(0)
  })

  it('declared schedules are created, changed, left alone and orphaned as a set', async () => {
    const { engine, clock } = await started(open())
    const declare = (...schedules: ScheduleCreateInput[]) =>
      engine.declareSchedules({ owner: 'app', schedules, graceMs: 25 * SECOND })
    const fast = daily({ name: 'fast', cron: undefined, every: '10s', overlap: 'allow' })
    expect(await declare(daily(), fast)).toEqual({ created: ['fast', 'nightly'], changed: [], orphaned: [] })
    expect(await declare(daily(), fast)).toEqual({ created: [], changed: [], orphaned: [] })
    const { revision } = await engine.updateSchedule({ ...named, set: { priority: 7 } })
    expect(await declare(daily({ payload: 2 }), fast)).toEqual({ created: [], changed: ['nightly'], orphaned: [] })
    expect(await engine.schedule(named)).toMatchObject({
      ...{ owner: 'app', override: { priority: 7 }, effective: { priority: 7, payload: 2 }, revision: revision + 1 },
    })
    expect(await declare(daily({ payload: 2 }))).toEqual({ created: [], changed: [], orphaned: ['fast'] })
    expect(await engine.explainSchedule({ name: 'fast' })).toMatchObject({ state: 'orphaned', reason: 'orphaned' })
    await clock.advance(40 * SECOND)
    // Ticks at 5, 15 and 25 seconds; the grace period ends at 25.
    expect(await engine.schedule({ name: 'fast' })).toMatchObject({
      runs: 2,
      nextRunAt: null,
      state: 'orphaned',
      next: [],
    })
    expect(await engine.explainSchedule({ name: 'fast' })).toMatchObject({ reason: 'stopped_orphaned' })
    expect(await declare(daily({ payload: 2 }), fast)).toMatchObject({ changed: ['fast'] })
    expect(await engine.schedule({ name: 'fast' })).toMatchObject({
      state: 'active',
      orphanedAt: null,
      nextTickAt: START + 45 * SECOND,
    })
  })

  it('a deployment does not lose ticks that are still to be caught up', async () => {
    const { engine, clock } = await open()
    const every = daily({ cron: undefined, every: '10m' })
    await engine.declareSchedules({ owner: 'app', schedules: [every] })
    const { nextTickAt } = await engine.schedule(named)
    await clock.advance(HOUR)
    await engine.declareSchedules({ owner: 'app', schedules: [{ ...every, payload: 'new' }] })
    expect((await engine.schedule(named)).nextTickAt).toBe(nextTickAt)
  })

  it('schedules of another owner are not taken over, and nothing of the set is stored', async () => {
    const { engine } = await open()
    await engine.createSchedule(daily())
    const declare = engine.declareSchedules({ owner: 'app', schedules: [daily({ name: 'a' }), daily()] })
    expect((await refused(declare)).code).toBe('WRONG_STATE')
    expect((await engine.schedules()).schedules.map(({ name }) => name)).toEqual(['nightly'])
  })

  it('two nodes that declare the same schedules at the same time store each once', async () => {
    const one = await open()
    const other = await one.another()
    const schedules = Array.from({ length: 30 }, (_, n) => daily({ name: `s-${n}` }))
    const declare = ({ engine }: typeof one) => engine.declareSchedules({ owner: 'app', schedules })
    const results = await Promise.all([declare(one), declare(other)])
    expect(results.flatMap(({ created }) => created).length).toBeGreaterThanOrEqual(30)
    const { schedules: rows } = await one.engine.schedules({ limit: 100 })
    expect(rows.map(({ revision }) => revision)).toEqual(rows.map(() => 1))
  })

  it('the preview shows ticks of stored and of unsaved settings', async () => {
    const { engine } = await open()
    await engine.createSchedule(daily())
    expect(await engine.previewSchedule({ ...named, count: 2 })).toEqual({
      text: 'Every day at 03:00, Europe/Berlin',
      ticks: [NEXT, NEXT + DAY].map((at) => ({ at, dueAt: at, note: null })),
    })
    const settings = { cron: '30 2 * * *', timezone: 'America/New_York' }
    const { ticks } = await engine.previewSchedule({ settings, after: Date.UTC(2026, 2, 8), count: 1 })
    expect(ticks).toEqual([
      { at: Date.UTC(2026, 2, 8, 7), dueAt: Date.UTC(2026, 2, 8, 7), note: expect.stringContaining('runs at 03:00') },
    ])
  })

  it('a backfill enqueues the ticks of a range once, with progress, and can be undone', async () => {
    const { engine, clock } = await started(open())
    await engine.createSchedule(daily())
    const range = { ...named, from: Date.UTC(2025, 0, 1), to: Date.UTC(2026, 0, 1), actor: 'ada' }
    const finished = async (id: string) => {
      await clock.advance(0)
      for (let turn = 0; (await engine.bulk({ id })).finishedAt === null && turn < 100; turn++) await settle()
      return engine.bulk({ id })
    }
    const first = await finished((await engine.backfillSchedule(range)).id)
    expect(first).toMatchObject({
      state: 'done',
      matched: 365,
      changed: 365,
      skipped: 0,
      backfill: { schedule: 'nightly' },
    })
    const { jobs } = await engine.list({ sort: 'oldest', limit: 2 })
    expect(jobs.map(({ tick }) => tick)).toEqual([
      { schedule: 'nightly', at: Date.UTC(2025, 0, 1, 2), previous: null, missed: 0, backfill: true },
      {
        schedule: 'nightly',
        at: Date.UTC(2025, 0, 2, 2),
        previous: Date.UTC(2025, 0, 1, 2),
        missed: 0,
        backfill: true,
      },
    ])
    expect(await finished((await engine.backfillSchedule(range)).id)).toMatchObject({
      matched: 365,
      changed: 0,
      skipped: 365,
    })
    const again = await finished((await engine.backfillSchedule({ ...range, again: true })).id)
    expect(again).toMatchObject({ changed: 365 })
    await engine.undoBulk({ id: again.id })
    await clock.advance(0)
    for (let turn = 0; (await engine.bulk({ id: again.id })).state !== 'undone' && turn < 100; turn++) await settle()
    expect((await engine.counts()).pending).toBe(365)
    expect((await refused(engine.backfillSchedule({ ...range, to: clock.now() + DAY }))).code).toBe('BAD_INPUT')
  })

  it('the payload of a schedule is bounded like that of a job', async () => {
    const { engine } = await open({ maxPayloadBytes: 100 })
    const large = daily({ payload: 'x'.repeat(200) })
    expect((await refused(engine.createSchedule(large))).code).toBe('TOO_LARGE')
    expect((await refused(engine.declareSchedules({ owner: 'app', schedules: [large] }))).code).toBe('TOO_LARGE')
  })

  it('every list of schedules is paged', async () => {
    const { engine } = await open()
    for (const name of ['c', 'a', 'b']) await engine.createSchedule(daily({ name }))
    const first = await engine.schedules({ limit: 2 })
    expect([first.schedules.map(({ name }) => name), first.nextCursor]).toEqual([['a', 'b'], 'b'])
    const last = await engine.schedules({ limit: 2, cursor: first.nextCursor ?? '' })
    expect([last.schedules.map(({ name }) => name), last.nextCursor]).toEqual([['c'], null])
  })
})
