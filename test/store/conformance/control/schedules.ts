/** Changes of schedules: each applies to the row it was decided on, or not at all. */
import { describe, expect, it } from 'vitest'
import type { NewJob, NewTick, OpOf, OpValue } from '../../../../server/store/ops.ts'
import type { StoredSchedule } from '../../../../server/store/rows/schedule-rows.ts'
import { SCHEDULES_GROUP } from '../../../../shared/groups/rules.ts'
import { HOUR, MINUTE } from '../../../../shared/limits.ts'
import { START } from '../../../support/test-clock.ts'
import type { StoreHarness } from '../../harness.ts'
import { complete, fail, nextId, plainJob } from '../fixtures.ts'
import { eachKit, only } from '../kit.ts'

type Change = OpOf<'schedule'>

const TICK = START + HOUR

function jobOf(at: number, overrides: Partial<NewJob> = {}): NewJob {
  return plainJob({ tick: { schedule: 'nightly', at, previous: null, missed: 0, backfill: false }, ...overrides })
}

function newTick(at: number, overrides: Partial<NewTick> = {}): NewTick {
  return { at, dueAt: at, origin: 'tick', outcome: 'enqueued', missed: 0, note: null, job: jobOf(at), ...overrides }
}

const CREATED: Change = {
  kind: 'schedule',
  name: 'nightly',
  expect: null,
  set: {
    ...{ nextTickAt: TICK, nextRunAt: TICK + 11, owner: 'app', declared: '{"cron":"0 3 * * *","payload":"\\u0000"}' },
    ...{ override: '{"priority":3}', type: 'report', pauseAfter: 2, revision: 1 },
  },
  dueAt: null,
  maxRuns: null,
  ticks: [],
  entry: { actor: 'anna', action: 'schedules.create', details: { n: 1 } },
}

function tickOp(at: number, overrides: Partial<Change> = {}): Change {
  return {
    ...CREATED,
    expect: { revision: 1, nextTickAt: at },
    set: { nextTickAt: at + HOUR, nextRunAt: at + HOUR, lastTickAt: at },
    dueAt: at,
    ticks: [newTick(at)],
    entry: null,
    ...overrides,
  }
}

export function describeSchedules(harness: StoreHarness): void {
  describe('schedules', () => {
    const kit = eachKit(harness)

    async function stored(name = 'nightly'): Promise<StoredSchedule> {
      return only(await kit().store.schedulesNamed({ names: [name], owner: null }))
    }

    /** A schedule whose first tick is due. */
    async function due(set: Change['set'] = {}): Promise<void> {
      await kit().run({ ...CREATED, set: { ...CREATED.set, ...set } })
      await kit().advance(HOUR)
    }

    const jobs = async () => (await kit().store.list({ sort: 'oldest', limit: 200, payloads: true })).jobs

    it('a created schedule is stored with all of its columns and an audit entry', async () => {
      expect(await kit().run(CREATED)).toEqual({ changed: true, ticks: [] })
      expect(await stored()).toEqual({
        ...{ name: 'nightly', nextTickAt: TICK, nextRunAt: TICK + 11, lastTickAt: null, runs: 0, owner: 'app' },
        ...{ declared: { cron: '0 3 * * *', payload: '\u0000' }, override: { priority: 3 }, type: 'report' },
        ...{ pauseAfter: 2, failures: 0, lastSuccessAt: null, lastFailureAt: null, pausedAt: null, pausedBy: null },
        ...{ pauseNote: null, orphanedAt: null, stopsAt: null, revision: 1, createdAt: START, updatedAt: START },
      })
      const [entry] = await kit().store.audit({ target: 'nightly', before: null, limit: 10 })
      expect(entry).toMatchObject({ actor: 'anna', action: 'schedules.create', target: 'nightly', details: { n: 1 } })
    })

    it('a schedule that exists is not created again', async () => {
      await kit().run(CREATED)
      expect(await kit().run({ ...CREATED, set: { ...CREATED.set, owner: 'other' } })).toMatchObject({ changed: false })
      expect((await stored()).owner).toBe('app')
    })

    it('a tick enqueues its job, which the worker receives with the tick', async () => {
      await due()
      const result = await kit().run(tickOp(TICK))
      const job = only(await jobs())
      const tick = { schedule: 'nightly', at: TICK, previous: null, missed: 0, backfill: false }
      expect(job).toMatchObject({ status: 'pending', tick })
      expect((await kit().claimOne()).tick).toBe(JSON.stringify(tick))
      const recorded = {
        ...{ at: TICK, dueAt: TICK, processedAt: START + HOUR, origin: 'tick', outcome: 'enqueued', jobId: job.id },
        ...{ missed: 0, note: null },
      }
      expect(result).toEqual({ changed: true, ticks: [recorded] })
      expect(await kit().store.scheduleTicks('nightly', 10)).toEqual([recorded])
      expect(await stored()).toMatchObject({ nextTickAt: TICK + HOUR, lastTickAt: TICK, runs: 1, revision: 1 })
    })

    it('a tick that another node has processed enqueues nothing', async () => {
      await due()
      await kit().run(tickOp(TICK))
      const again = await (await kit().another()).run(tickOp(TICK))
      expect([again, (await jobs()).length]).toEqual([{ changed: false, ticks: [] }, 1])
    })

    it('two operations of one commit for the same tick enqueue one job', async () => {
      await due()
      const outcomes = await kit().outcomes(tickOp(TICK), tickOp(TICK))
      expect(outcomes.map((one) => one.ok && (one.value as OpValue<'schedule'>).changed)).toEqual([true, false])
      expect(await jobs()).toHaveLength(1)
    })

    it('a tick that was decided before a change of the schedule enqueues nothing', async () => {
      await due()
      await kit().run({ ...tickOp(TICK), dueAt: null, ticks: [], set: { revision: 2 } })
      expect((await kit().run(tickOp(TICK))).changed).toBe(false)
      expect(await jobs()).toEqual([])
    })

    it('a tick is not processed before it is due by the clock of the store', async () => {
      await kit().run(CREATED)
      expect((await kit().run(tickOp(TICK))).changed).toBe(false)
      await kit().advance(HOUR - 1)
      expect((await kit().run(tickOp(TICK))).changed).toBe(false)
      await kit().advance(1)
      expect((await kit().run(tickOp(TICK))).changed).toBe(true)
    })

    it('ticks wait after the clock has jumped ahead, until it has been steady for five minutes', async () => {
      await kit().run(CREATED)
      kit().clock.jump(2 * HOUR)
      expect((await kit().run(tickOp(TICK))).changed).toBe(false)
      await kit().advance(5 * MINUTE - 1)
      expect((await kit().run(tickOp(TICK))).changed).toBe(false)
      await kit().advance(1)
      expect((await kit().run(tickOp(TICK))).changed).toBe(true)
    })

    it('a clock that was set back fires no tick twice', async () => {
      await due()
      await kit().run(tickOp(TICK))
      kit().clock.jump(-HOUR)
      expect((await kit().run(tickOp(TICK))).changed).toBe(false)
      expect((await kit().run(tickOp(TICK + HOUR))).changed).toBe(false)
      expect(await jobs()).toHaveLength(1)
    })

    it('a job of a type of another kind pauses the schedule with the reason', async () => {
      await due()
      await kit().add({ type: 'report' })
      const misfit = newTick(TICK, { job: jobOf(TICK, { kind: 'command' }) })
      const { ticks } = await kit().run(tickOp(TICK, { ticks: [misfit] }))
      expect(ticks).toMatchObject([{ outcome: 'rejected', jobId: null, note: expect.stringContaining('report') }])
      expect(await stored()).toMatchObject({
        ...{ pausedAt: START + HOUR, pausedBy: 'upkeep', pauseNote: ticks[0]?.note, nextTickAt: null, nextRunAt: null },
        ...{ runs: 0, revision: 2 },
      })
    })

    it('a job whose key exists is not enqueued again, and its tick is skipped', async () => {
      await due()
      const id = await kit().add({ dedupeKey: 'k' })
      const { ticks } = await kit().run(
        tickOp(TICK, { ticks: [newTick(TICK, { job: jobOf(TICK, { dedupeKey: 'k' }) })] }),
      )
      expect(ticks).toMatchObject([{ outcome: 'skipped', jobId: id }])
      expect((await stored()).runs).toBe(0)
    })

    it('the schedule ends with its last run', async () => {
      await due()
      await kit().run(tickOp(TICK, { maxRuns: 2 }))
      expect((await stored()).nextTickAt).toBe(TICK + HOUR)
      await kit().advance(HOUR)
      await kit().run(tickOp(TICK + HOUR, { maxRuns: 2 }))
      expect(await stored()).toMatchObject({ runs: 2, nextTickAt: null, nextRunAt: null })
    })

    it('the last 50 ticks of each schedule are kept', async () => {
      await due()
      await kit().run({ ...CREATED, name: 'other', ticks: [newTick(TICK - 99, { origin: 'manual' })] })
      const many = Array.from({ length: 60 }, (_, n) => newTick(TICK + n, { job: null, outcome: 'missed' }))
      await kit().run(tickOp(TICK, { ticks: many }))
      const kept = (await kit().store.scheduleTicks('nightly', 100)).map(({ at }) => at)
      expect(kept).toEqual(Array.from({ length: 50 }, (_, n) => TICK + 59 - n))
      expect(await kit().store.scheduleTicks('other', 100)).toHaveLength(1)
    })

    it('a deleted schedule leaves no ticks, and its jobs remain', async () => {
      await due()
      await kit().run(tickOp(TICK))
      const removed: Change = { ...tickOp(TICK + HOUR), dueAt: null, ticks: [], set: null }
      expect((await kit().run(removed)).changed).toBe(true)
      expect(await kit().store.schedulesNamed({ names: ['nightly'], owner: 'app' })).toEqual([])
      expect(await kit().store.scheduleTicks('nightly', 10)).toEqual([])
      expect(await jobs()).toHaveLength(1)
    })

    it('a completed job of a schedule records the success and resets its failures', async () => {
      await due({ failures: 1 })
      await kit().run(tickOp(TICK))
      const held = await kit().claimOne()
      await kit().advance(7)
      await kit().run(complete(held))
      expect(await stored()).toMatchObject({ failures: 0, lastSuccessAt: START + HOUR + 7, lastFailureAt: null })
      // A repeated completion changes nothing.
      await kit().advance(7)
      await kit().run(complete(held))
      expect((await stored()).lastSuccessAt).toBe(START + HOUR + 7)
    })

    it('a job that a claim completes at once records the success, also where its type has a limit', async () => {
      await due({ failures: 1 })
      await kit().run(tickOp(TICK))
      await kit().advance(7)
      expect(await kit().claim({ settle: true })).toHaveLength(1)
      expect(await stored()).toMatchObject({ failures: 0, lastSuccessAt: START + HOUR + 7 })
      await kit().override('report', { maxConcurrency: 5 })
      await kit().advance(HOUR)
      await kit().run(tickOp(TICK + HOUR))
      expect(await kit().claim({ settle: true })).toHaveLength(1)
      expect((await stored()).lastSuccessAt).toBe(START + 2 * HOUR + 7)
    })

    it('jobs that fail for good in a row pause the schedule; failed attempts that are retried do not', async () => {
      await due()
      for (const n of [0, 1]) {
        await kit().run(tickOp(TICK + n * HOUR))
        const first = await kit().claimOne()
        await kit().run(fail(first, { retryInMs: 0 }))
        expect((await stored()).failures).toBe(n)
        await kit().advance(1)
        await kit().run(fail(await kit().claimOne(), { retry: false }))
        expect(await stored()).toMatchObject({ failures: n + 1, pausedAt: n === 0 ? null : expect.any(Number) })
        await kit().advance(HOUR)
      }
      expect(await stored()).toMatchObject({
        ...{
          pausedBy: 'upkeep',
          pauseNote: '2 jobs in a row have failed.',
          nextTickAt: null,
          nextRunAt: null,
          revision: 2,
        },
        lastFailureAt: START + 2 * HOUR + 2,
      })
    })

    it('jobs of two schedules that end in one commit change both', async () => {
      await due()
      await kit().run({ ...CREATED, name: 'hourly' })
      const of = (schedule: string) =>
        plainJob({ tick: { schedule, at: TICK, previous: null, missed: 0, backfill: false } })
      await kit().run({ kind: 'enqueue', jobs: [of('nightly'), of('hourly'), of('gone')] })
      const held = await kit().claim({ limit: 3 })
      await kit().commit(...held.map((one) => complete(one)))
      expect([(await stored()).lastSuccessAt, (await stored('hourly')).lastSuccessAt]).toEqual([
        START + HOUR,
        START + HOUR,
      ])
    })

    it('a job of a backfill changes neither the failures nor the last success of its schedule', async () => {
      await due({ failures: 1 })
      const tick = { schedule: 'nightly', at: TICK, previous: null, missed: 0, backfill: true }
      await kit().add({ tick })
      await kit().run(complete(await kit().claimOne()))
      expect(await stored()).toMatchObject({ failures: 1, lastSuccessAt: null })
    })

    const later = async () => (await stored()).nextTickAt ?? 0

    /** A tick, and another while its job is in the state; returns the outcome of the second and the statuses of all jobs. */
    async function overlap(whenFull: NewJob['whenFull'], isRunning: boolean) {
      await due()
      const tick = (at: number) =>
        tickOp(at, {
          ticks: [newTick(at, { job: jobOf(at, { groupName: SCHEDULES_GROUP, groupKey: 'nightly', whenFull }) })],
        })
      await kit().run(tick(TICK))
      if (isRunning) await kit().claimOne()
      await kit().advance(HOUR)
      const { ticks } = await kit().run(tick(await later()))
      return [
        only(ticks).outcome,
        (await jobs()).map(({ status, cancelRequestedAt }) => [status, cancelRequestedAt !== null]),
      ]
    }

    it.each([
      ['skip', true, 'skipped', [['processing', false]]],
      ['skip', false, 'skipped', [['pending', false]]],
      [
        'wait',
        true,
        'enqueued',
        [
          ['processing', false],
          ['blocked', false],
        ],
      ],
      [
        'replace',
        true,
        'enqueued',
        [
          ['processing', false],
          ['blocked', false],
        ],
      ],
      [
        'replace',
        false,
        'enqueued',
        [
          ['cancelled', false],
          ['pending', false],
        ],
      ],
      [
        'cancel',
        true,
        'enqueued',
        [
          ['processing', true],
          ['blocked', false],
        ],
      ],
    ] as const)(
      'a tick whose earlier job is unfinished does %s (running: %s)',
      async (whenFull, isRunning, outcome, all) => {
        expect(await overlap(whenFull, isRunning)).toEqual([outcome, all])
        const first = (await jobs())[0]
        const { ticks } = { ticks: await kit().store.scheduleTicks('nightly', 1) }
        if (outcome === 'skipped')
          expect(ticks).toMatchObject([{ jobId: first?.id, note: expect.stringContaining('unfinished') }])
        expect((await stored()).runs).toBe(outcome === 'skipped' ? 1 : 2)
      },
    )

    it('the waiting job of a schedule becomes ready when the one before it completes', async () => {
      await overlap('wait', true)
      const [first] = await jobs()
      await kit().run(complete({ id: first?.id ?? '', version: 1 }))
      expect((await jobs()).map(({ status }) => status)).toEqual(['completed', 'pending'])
      expect((await stored()).lastSuccessAt).toBe(START + 2 * HOUR)
    })

    it('due schedules come in the order in which they are due', async () => {
      const at = { a: START + 30, b: START + 10, c: START + 20, d: null }
      for (const [name, nextRunAt] of Object.entries(at)) {
        await kit().run({ ...CREATED, name, set: { ...CREATED.set, nextTickAt: nextRunAt, nextRunAt } })
      }
      expect(await kit().store.nextScheduleAt()).toBe(START + 10)
      const dueAt = async (now: number) => (await kit().store.dueSchedules({ now, limit: 2 })).map(({ name }) => name)
      expect([await dueAt(START + 9), await dueAt(START + 10), await dueAt(START + 99)]).toEqual([
        [],
        ['b'],
        ['b', 'c'],
      ])
    })

    it('a list of schedules is filtered by state, type and text, and continues after a name', async () => {
      const sets: Readonly<Record<string, Change['set']>> = {
        'a-active': {},
        'b-paused': { pausedAt: 1, orphanedAt: 2 },
        'c-orphaned': { orphanedAt: 2, type: 'mail' },
        'd-ended': { nextTickAt: null, nextRunAt: null },
        'B-upper': {},
      }
      for (const [name, set] of Object.entries(sets))
        await kit().run({ ...CREATED, name, set: { ...CREATED.set, ...set } })
      const all = { search: null, state: null, type: null, cursor: null, limit: 10 }
      const names = async (params: Partial<Parameters<StoreNamed>[0]>) =>
        (await kit().store.schedules({ ...all, ...params })).map(({ name }) => name)
      expect(await names({})).toEqual(['B-upper', 'a-active', 'b-paused', 'c-orphaned', 'd-ended'])
      expect(await names({ cursor: 'a-active', limit: 2 })).toEqual(['b-paused', 'c-orphaned'])
      expect(await names({ state: 'active' })).toEqual(['B-upper', 'a-active'])
      expect(await names({ state: 'paused' })).toEqual(['b-paused'])
      expect(await names({ state: 'orphaned' })).toEqual(['c-orphaned'])
      expect(await names({ state: 'ended' })).toEqual(['d-ended'])
      expect(await names({ type: 'mail' })).toEqual(['c-orphaned'])
      expect(await names({ search: 'UPPER' })).toEqual(['B-upper'])
      expect(await names({ search: 'mai' })).toEqual(['c-orphaned'])
      expect(await names({ search: '%' })).toEqual([])
    })

    async function backfill(): Promise<string> {
      const id = nextId()
      const range = { schedule: 'nightly', from: START, to: TICK, again: false }
      await kit().run({ kind: 'backfillStart', id, type: 'report', range, undoMs: 5_000, actor: 'anna' })
      return id
    }

    const backfillTick = (at: number) =>
      newTick(at, { origin: 'backfill', job: jobOf(at, { dedupeKey: `schedule:nightly:${at}` }) })

    it('a backfill enqueues its ticks in chunks, each once', async () => {
      await kit().run(CREATED)
      const id = await backfill()
      expect(await kit().store.bulk(id)).toMatchObject({
        ...{ action: 'backfill', state: 'running', filter: { type: 'report' }, cursor: START - 1 },
        backfill: { schedule: 'nightly', from: START, to: TICK, again: false },
      })
      const first = { kind: 'backfillApply', id, from: START - 1, cursor: START + 2 } as const
      const ticks = [backfillTick(START + 1), backfillTick(START + 2)]
      expect(await kit().run({ ...first, ticks })).toEqual({ changed: 2, skipped: 0 })
      expect(await kit().run({ ...first, ticks })).toEqual({ changed: 0, skipped: 0 })
      // A tick that has a job is skipped.
      const last = {
        ...first,
        from: START + 2,
        cursor: null,
        ticks: [backfillTick(START + 2), backfillTick(START + 3)],
      }
      expect(await kit().run(last)).toEqual({ changed: 1, skipped: 1 })
      expect(await kit().store.bulk(id)).toMatchObject({ state: 'done', matched: 4, changed: 3, skipped: 1 })
      expect(await jobs()).toHaveLength(3)
      expect((await kit().store.scheduleTicks('nightly', 9)).map(({ at, outcome }) => [at - START, outcome])).toEqual([
        [3, 'enqueued'],
        [2, 'skipped'],
        [1, 'enqueued'],
      ])
    })

    it('undoing a backfill deletes the jobs that no worker has claimed', async () => {
      await kit().run(CREATED)
      const id = await backfill()
      const ticks = [1, 2, 3].map((n) => backfillTick(START + n))
      await kit().run({ kind: 'backfillApply', id, from: START - 1, cursor: null, ticks })
      const claimed = await kit().claimOne()
      await kit().run({ kind: 'bulkUndo', id, actor: 'anna' })
      expect(await kit().run({ kind: 'bulkRevert', id, limit: 10 })).toEqual({ more: false })
      expect(only(await jobs()).id).toBe(claimed.id)
      expect(await kit().store.bulk(id)).toMatchObject({ state: 'undone', undone: 2 })
      expect(await kit().counts()).toEqual(await kit().harness.countByStatus())
    })
  })
}

type StoreNamed = import('../../../../server/store/store.ts').Store['schedules']
