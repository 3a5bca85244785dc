/** Verbs of schedules: reads, previews, and changes by operators and by code. */

import { QueueError } from '../../../../shared/errors.ts'
import type { ScheduleVerbs as QueueSchedules } from '../../../../shared/queue.ts'
import { describeRule, previewTicks } from '../../../../shared/schedules/describe.ts'
import { scheduleLimits } from '../../../../shared/schedules/limits.ts'
import type { EffectiveSchedule, ScheduleRow } from '../../../../shared/schedules/schedule.ts'
import { changeOverride, effectiveSchedule } from '../../../../shared/schedules/settings.ts'
import { boundedRule } from '../../../../shared/schedules/state.ts'
import type { ParsedVerbs } from '../../../../shared/verbs/verb-inputs.ts'
import { newId } from '../../../base/ids.ts'
import type { StoredSchedule } from '../../../store/rows/schedule-rows.ts'
import type { Store } from '../../../store/store.ts'
import type { GroupCommit } from '../../commit/group-commit.ts'
import type { EventLog } from '../../events.ts'
import { scheduleJob } from '../../schedules/schedule-job.ts'
import type { Ticker } from '../../schedules/ticker.ts'
import type { BulkRunner } from '../../services/bulk-runner.ts'
import { createDeclaration } from './declare-schedules.ts'
import { explainSchedule } from './explain-schedule.ts'
import {
  haveSameTicks,
  laterOf,
  nextColumns,
  noSchedule,
  offsetWithoutInterval,
  type ScheduleAction,
  settingsColumns,
  toScheduleRow,
  withoutPayload,
} from './schedule-rows.ts'

export type ScheduleVerbs = Pick<ParsedVerbs, keyof QueueSchedules>

export interface ScheduleVerbsParts {
  readonly store: Store
  readonly commits: GroupCommit
  readonly events: EventLog
  readonly ticker: Ticker
  readonly bulks: BulkRunner
  readonly maxPayloadBytes: number
}

/** An action is decided again when the row changed meanwhile, for example by a tick. */
const TRIES = 20
const NEXT_TICKS = 5

export function createScheduleVerbs(parts: ScheduleVerbsParts): ScheduleVerbs {
  const { store, commits, events, ticker, bulks, maxPayloadBytes } = parts

  async function find(name: string): Promise<StoredSchedule | null> {
    const [row] = await store.schedulesNamed({ names: [name], owner: null })
    return row ?? null
  }

  async function require(name: string): Promise<StoredSchedule> {
    const row = await find(name)
    if (!row) throw noSchedule(name)
    return row
  }

  /** `decide` returns null when there is nothing to change. */
  async function change(
    name: string,
    decide: (row: StoredSchedule | null, now: number) => ScheduleAction | null,
  ): Promise<ReturnType<typeof outcomeOf> | null> {
    for (let tries = 0; tries < TRIES; tries++) {
      const [row, now] = await Promise.all([find(name), store.now()])
      const action = decide(row, now)
      if (!action) return null
      const expect = row && { revision: row.revision, nextTickAt: row.nextTickAt }
      const set = action.set && { ...action.set, revision: (row?.revision ?? 0) + 1 }
      const op = { kind: 'schedule', name, expect, dueAt: null, maxRuns: null, ticks: [], ...action, set } as const
      const outcome = await commits.submit<'schedule'>(op)
      if (!outcome.changed) continue
      ticker.dueAt(set?.nextRunAt ?? null)
      events.emit({ kind: 'schedules', at: now })
      return outcomeOf(outcome)
    }
    throw new QueueError('BUSY', `Schedule ${name} changes too often; try again in a moment.`, { name })
  }

  const act = async (name: string, decide: (row: StoredSchedule, now: number) => ScheduleAction | null) =>
    change(name, (row, now) => {
      if (!row) throw noSchedule(name)
      return decide(row, now)
    })

  const rowOf = async (name: string): Promise<ScheduleRow> => toScheduleRow(await require(name))

  async function previewOf(name: string, rule: EffectiveSchedule, after: number | undefined, count: number) {
    return { text: describeRule(rule), ticks: previewTicks(rule, name, after ?? (await store.now()), count) }
  }

  return {
    async schedules({ search = null, state = null, type = null, cursor = null, limit }) {
      const rows = await store.schedules({ search, state, type, cursor, limit: limit + 1 })
      const page = rows.slice(0, limit)
      return {
        schedules: page.map(toScheduleRow),
        nextCursor: rows.length > limit ? (page.at(-1)?.name ?? null) : null,
      }
    },
    async schedule({ name }) {
      const [row, ticks, now] = await Promise.all([
        require(name),
        store.scheduleTicks(name, scheduleLimits.ticks),
        store.now(),
      ])
      const shown = toScheduleRow(row)
      const { nextTickAt } = row
      const rule = boundedRule(shown.effective, row.stopsAt)
      const next = nextTickAt === null ? [] : previewTicks(rule, name, Math.min(nextTickAt - 1, now), NEXT_TICKS)
      return { ...shown, ticks, next: next.filter(({ at }) => nextTickAt !== null && at >= nextTickAt) }
    },
    async previewSchedule({ name = '', settings, after, count }) {
      if (settings) return previewOf(name, effectiveSchedule(null, { ...settings, type: '-' }), after, count)
      const row = await require(name)
      return previewOf(name, boundedRule(toScheduleRow(row).effective, row.stopsAt), after, count)
    },
    async explainSchedule({ name }) {
      const [row, now, facts, paused] = await Promise.all([rowOf(name), store.now(), store.facts(), store.paused()])
      const { isClockUnsure } = facts
      const isTypePaused = paused.types.has(row.effective.type)
      return explainSchedule(row, { now, isClockUnsure, isQueuePaused: paused.queue, isTypePaused })
    },
    async createSchedule({ name, actor, ...settings }) {
      await change(name, (row, now) => {
        if (row)
          throw new QueueError('WRONG_STATE', `Schedule ${name} exists already; update it, or choose another name.`, {
            name,
          })
        const columns = settingsColumns(null, settings, maxPayloadBytes)
        const blank = { name, pausedAt: null, stopsAt: null, runs: 0 }
        const next = nextColumns(blank, effectiveSchedule(null, settings), now)
        return {
          set: { ...columns, ...next },
          entry: { actor, action: 'schedules.create', details: withoutPayload(settings) },
        }
      })
      return rowOf(name)
    },
    async updateSchedule({ name, set, clear, actor }) {
      await act(name, (row, now) => {
        const override = changeOverride(row.override, set, clear)
        const columns = settingsColumns(row.declared, override, maxPayloadBytes)
        const before = effectiveSchedule(row.declared, row.override)
        const effective = effectiveSchedule(row.declared, override)
        if (set.offset && effective.cron !== null) throw offsetWithoutInterval(name)
        const next = haveSameTicks(before, effective) ? {} : nextColumns(row, effective, laterOf(now, row))
        const details = { set: withoutPayload(set), clear }
        return { set: { ...columns, ...next, updatedAt: now }, entry: { actor, action: 'schedules.update', details } }
      })
      return rowOf(name)
    },
    async pauseSchedule({ name, note = null, actor }) {
      await act(name, (row, now) => {
        const at = row.pausedAt ?? now
        const pause = { pausedAt: at, pausedBy: actor, pauseNote: note, nextTickAt: null, nextRunAt: null }
        return { set: pause, entry: { actor, action: 'schedules.pause', details: { note } } }
      })
      return rowOf(name)
    },
    async resumeSchedule({ name, actor }) {
      await act(name, (row, now) => {
        if (row.pausedAt === null) return null
        const resumed = { pausedAt: null, pausedBy: null, pauseNote: null, failures: 0 }
        const effective = effectiveSchedule(row.declared, row.override)
        const next = nextColumns({ ...row, ...resumed }, effective, laterOf(now, row))
        return { set: { ...resumed, ...next }, entry: { actor, action: 'schedules.resume', details: {} } }
      })
      return rowOf(name)
    },
    async runSchedule({ name, actor }) {
      const outcome = await act(name, (row, now) => {
        const effective = effectiveSchedule(row.declared, row.override)
        const tick = { schedule: name, at: now, previous: row.lastTickAt, missed: 0, backfill: false }
        const job = scheduleJob({ effective, tick, now, dedupeKey: null, maxPayloadBytes })
        const manual = {
          at: now,
          dueAt: now,
          origin: 'manual',
          outcome: 'enqueued',
          missed: 0,
          note: `Run by ${actor}.`,
          job,
        } as const
        return { set: {}, ticks: [manual], entry: { actor, action: 'schedules.run', details: { job: job.id } } }
      })
      const tick = outcome?.tick
      if (!tick) throw new Error(`The run of schedule ${name} was not recorded.`)
      if (tick.outcome === 'rejected')
        throw new QueueError('WRONG_STATE', tick.note ?? 'The job could not be enqueued.', { name })
      return { outcome: tick.outcome, jobId: tick.jobId }
    },
    async deleteSchedule({ name, actor }) {
      await act(name, (row) => ({
        set: null,
        entry: { actor, action: 'schedules.delete', details: { owner: row.owner } },
      }))
    },
    async backfillSchedule({ name, from, to, again, undoMs, actor }) {
      const [row, now] = await Promise.all([require(name), store.now()])
      if (to > now) throw new QueueError('BAD_INPUT', 'to: must not be in the future; future ticks run by themselves')
      const id = newId()
      const range = { schedule: name, from, to, again }
      await commits.submit<'backfillStart'>({ kind: 'backfillStart', id, type: row.type, range, undoMs, actor })
      bulks.check()
      const bulk = await store.bulk(id)
      if (!bulk) throw new Error(`Bulk operation ${id} was not stored.`)
      return bulk
    },
    declareSchedules: createDeclaration({ store, change, maxPayloadBytes }),
  }
}

function outcomeOf({ ticks }: { readonly ticks: ScheduleOpTicks }) {
  return { tick: ticks[0] ?? null }
}

type ScheduleOpTicks = Awaited<ReturnType<Store['scheduleTicks']>>
