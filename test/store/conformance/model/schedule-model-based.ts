/** Random sequences on schedules: which ticks become jobs, and how, compared with the model after every step. */
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { createEngine, type Engine } from '../../../../server/engine/engine.ts'
import { planTick } from '../../../../server/engine/schedules/plan-tick.ts'
import type { NewTick, Op, OpOf } from '../../../../server/store/ops.ts'
import { limits, MINUTE } from '../../../../shared/limits.ts'
import { scheduleLimits } from '../../../../shared/schedules/limits.ts'
import type { StoreHarness } from '../../harness.ts'
import { promote } from '../fixtures.ts'
import { Kit } from '../kit.ts'
import { compareJobs } from './model-based.ts'
import { MODEL_DEFAULTS } from './model-job.ts'
import type { ModelSchedule } from './model-schedule.ts'
import { JOB_TYPE, ScheduleModel } from './model-schedules.ts'
import { jobOperationOf, type ScheduleVerb, scheduleSteps, someOverride, someSettings } from './schedule-operations.ts'
import type { Choice, Step } from './steps.ts'

type Change = OpOf<'schedule'>

const NAMES = ['a', 'b', 'c'] as const
const ACTOR = 'operator'

export function describeScheduleModel(harness: StoreHarness, runs: number): void {
  const limitMs = 60_000 + runs * 2_000
  describe('schedules and their model', () => {
    it(
      `the ticks that become jobs are those of the model after every step of ${runs} random sequences`,
      async () => {
        await fc.assert(
          fc.asyncProperty(scheduleSteps, async (sequence) => {
            try {
              const run = await Run.open(harness)
              for (const step of sequence) await run.step(step)
            } finally {
              await harness.cleanup()
            }
          }),
          { numRuns: runs, interruptAfterTimeLimit: limitMs, markInterruptAsFailure: true },
        )
      },
      limitMs + 30_000,
    )
  })
}

class Run {
  private readonly model = new ScheduleModel()
  private readonly ids: string[] = []
  private readonly nodes: readonly [Kit, Kit]
  /** Its services never start: ticks are processed by the steps. */
  private readonly engine: Engine

  private constructor(kit: Kit, other: Kit) {
    this.nodes = [kit, other]
    this.engine = createEngine({ store: kit.store, clock: kit.clock })
  }

  static async open(harness: StoreHarness): Promise<Run> {
    const kit = await Kit.open(harness, MODEL_DEFAULTS)
    const run = new Run(kit, await kit.another())
    await run.declare(7, 5)
    return run
  }

  private get now(): number {
    return this.nodes[0].clock.now()
  }

  async step({ choices, ms, other }: Step<ScheduleVerb>): Promise<void> {
    await this.nodes[0].advance(ms)
    this.model.trust.advance(ms)
    for (const choice of choices) {
      await this.observe()
      await this.take(choice, other ? 1 : 0)
      await this.compare()
    }
  }

  /** Both nodes see the clock, as running ones do. */
  private async observe(): Promise<void> {
    for (const node of this.nodes) await node.run(promote)
    this.model.trust.observe()
    this.model.commit([promote], this.now, 'first')
  }

  private async take(choice: Choice<ScheduleVerb>, place: 0 | 1): Promise<void> {
    const { verb, pick, roll } = choice
    const { model, engine, now } = this
    const node = this.nodes[place]
    const schedule = [...model.schedules.values()][pick % model.schedules.size]
    switch (verb) {
      case 'tick':
        return this.tickAll(node)
      case 'race':
        return this.race()
      case 'late':
        return this.late(roll)
      case 'jump': {
        const ms = [-90, -10, 10, 90][roll % 4] ?? 10
        node.clock.jump(ms * MINUTE)
        model.trust.jump(ms * MINUTE)
        return
      }
      case 'declare':
        return this.declare(pick, roll)
      case 'update': {
        if (!schedule) return
        const set = someOverride(roll)
        await engine.updateSchedule({ name: schedule.name, set, actor: ACTOR })
        return model.update(schedule, set, now)
      }
      case 'pause':
        if (!schedule) return
        await engine.pauseSchedule({ name: schedule.name, actor: ACTOR })
        return schedule.pause(now)
      case 'resume':
        if (!schedule) return
        await engine.resumeSchedule({ name: schedule.name, actor: ACTOR })
        return schedule.resume(now)
      case 'run': {
        if (!schedule) return
        const { jobId, outcome } = await engine.runSchedule({ name: schedule.name, actor: ACTOR })
        if (jobId === null) throw new Error('a run without a job')
        if (outcome === 'enqueued') this.ids.push(jobId)
        return model.runNow(schedule, outcome === 'enqueued' ? jobId : 'none', now)
      }
      default:
        await this.commit(node, place, jobOperationOf({ verb, pick, roll }, model, this.ids))
    }
  }

  private async commit(node: Kit, place: number, op: Op): Promise<void> {
    const expected = this.model.commit([op], this.now, place === 0 ? 'first' : 'other')
    const outcomes = await node.outcomes(op)
    expect(outcomes.map(({ ok }) => ok)).toEqual(expected.map((one) => 'value' in one))
  }

  private async declare(pick: number, roll: number): Promise<void> {
    const named = NAMES.filter((_, place) => (pick >> place) % 2 === 1)
    const given = new Map(named.map((name, place) => [name, someSettings(pick + place, roll + 3 * place)] as const))
    const graceMs = (roll % 3) * 15 * MINUTE
    const schedules = [...given].map(([name, settings]) => ({ name, type: JOB_TYPE, payload: 1, ...settings }))
    await this.engine.declareSchedules({ owner: 'app', schedules, graceMs, actor: ACTOR })
    this.model.declare(given, graceMs, this.now)
  }

  /** What the ticker of a node does, until nothing is due. */
  private async tickAll(node: Kit): Promise<void> {
    for (;;) {
      const ops = await this.plan(node)
      if (!(await this.apply(node, ops))) return
    }
  }

  /** Two nodes decide about the same ticks; the first commit counts. */
  private async race(): Promise<void> {
    const [one, other] = this.nodes
    const [first, second] = [await this.plan(one), await this.plan(other)]
    await this.apply(one, first)
    expect(await this.changes(other, second)).toEqual(second.map(() => false))
  }

  /** Ticks that were decided before the clock was set back, or the schedule was changed. */
  private async late(roll: number): Promise<void> {
    const [node] = this.nodes
    const ops = await this.plan(node)
    const schedule = this.model.schedules.get(ops[0]?.name ?? '')
    if (roll % 2 === 0) {
      node.clock.jump(-90 * MINUTE)
      this.model.trust.jump(-90 * MINUTE)
      await this.observe()
      const early = ops.filter(({ dueAt }) => dueAt !== null && dueAt > this.now)
      expect(await this.changes(node, early)).toEqual(early.map(() => false))
    } else if (schedule) {
      await this.engine.pauseSchedule({ name: schedule.name, actor: ACTOR })
      schedule.pause(this.now)
      expect(await this.changes(node, ops.slice(0, 1))).toEqual([false])
    }
  }

  private async plan(node: Kit): Promise<readonly Change[]> {
    const due = await node.store.dueSchedules({ now: this.now, limit: 10 })
    const isDue = ({ next }: ModelSchedule) => next !== null && next <= this.now
    const expected = [...this.model.schedules.values()].filter(isDue)
    expect(due.map(({ name }) => name).toSorted()).toEqual(expected.map(({ name }) => name).toSorted())
    return due.flatMap((row) => planTick(row, this.now, 20, limits.payloadBytes) ?? [])
  }

  private async changes(node: Kit, ops: readonly Change[]): Promise<boolean[]> {
    const results: boolean[] = []
    for (const op of ops) results.push((await node.run(op)).changed)
    return results
  }

  /** Each decided operation does what the model does. Returns whether any did. */
  private async apply(node: Kit, ops: readonly Change[]): Promise<boolean> {
    const { model, now } = this
    for (const op of ops) {
      const schedule = model.schedules.get(op.name)
      if (!schedule) throw new Error(`the model has no schedule ${op.name}`)
      expect(op.ticks.map(planned)).toEqual(schedule.due(now))
      const { changed, ticks } = await node.run(op)
      expect(changed).toBe(!model.trust.holdsTicks)
      if (!changed) continue
      model.tick(
        schedule,
        op.ticks.flatMap(({ job }) => job?.id ?? []),
        now,
      )
      for (const { outcome, jobId } of ticks) if (outcome === 'enqueued' && jobId !== null) this.ids.push(jobId)
    }
    return ops.length > 0 && !model.trust.holdsTicks
  }

  private async compare(): Promise<void> {
    const { model } = this
    const [{ store }] = this.nodes
    await compareJobs(this.nodes[0], model, this.ids)
    const rows = await store.schedulesNamed({ names: [], owner: 'app' })
    const stored = rows.map((row) => ({
      ...{ name: row.name, next: row.nextTickAt, runAt: row.nextRunAt, last: row.lastTickAt, runs: row.runs },
      ...{ failures: row.failures, pausedAt: row.pausedAt, orphanedAt: row.orphanedAt, stopsAt: row.stopsAt },
      ...{ lastSuccessAt: row.lastSuccessAt, lastFailureAt: row.lastFailureAt },
    }))
    const expected = [...model.schedules.values()].map((one) => ({
      ...{ name: one.name, next: one.next, runAt: one.next, last: one.last, runs: one.runs },
      ...{ failures: one.failures, pausedAt: one.pausedAt, orphanedAt: one.orphanedAt, stopsAt: one.stopsAt },
      ...{ lastSuccessAt: one.lastSuccessAt, lastFailureAt: one.lastFailureAt },
    }))
    const byName = (a: { readonly name: string }, b: { readonly name: string }) => (a.name < b.name ? -1 : 1)
    expect(stored.toSorted(byName)).toEqual(expected.toSorted(byName))
    for (const { name, records } of model.schedules.values()) {
      const kept = [...records.values()].toSorted((a, b) => b.at - a.at).slice(0, scheduleLimits.ticks)
      const ticks = await store.scheduleTicks(name, 100)
      expect(ticks.map(({ at, origin, outcome, jobId, missed }) => ({ at, origin, outcome, jobId, missed }))).toEqual(
        kept,
      )
    }
  }
}

function planned({ at, outcome, missed, job }: NewTick) {
  if (!job) return { at, outcome, missed, previous: null }
  expect(job.tick).toMatchObject({ at, missed, backfill: false })
  return { at, outcome, missed, previous: job.tick?.previous ?? null }
}
