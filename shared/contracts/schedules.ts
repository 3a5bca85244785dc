/** Rules of schedules, and inputs of the schedule verbs. */

import { z } from 'zod'
import type { Duration } from '../duration.ts'
import { suggestKeys } from '../json/unknown-keys.ts'
import { DAY, limits } from '../limits.ts'
import { scheduleLimits } from '../schedules/limits.ts'
import { CATCH_UPS, type CatchUp, OVERLAPS, type Overlap } from '../schedules/schedule.ts'
import { type BackoffInput, backoffSchema } from '../settings/backoff.ts'
import { type JobKind, KINDS } from '../status.ts'
import { durationBetween, integerBetween } from './bounds.ts'
import { clientTypeName, delayMs, instant, rows, storable } from './fields.ts'
import { cronExpression, duration, exception, scheduleName, spread, timezone } from './schedule-fields.ts'

const settingsFields = {
  type: clientTypeName,
  payload: z.unknown(),
  kind: z.enum(KINDS).optional(),
  cron: cronExpression.optional(),
  every: duration(scheduleLimits.everyMs.min, scheduleLimits.everyMs.max).optional(),
  offset: duration(0, scheduleLimits.everyMs.max).optional(),
  timezone: timezone.optional(),
  catchUp: z.enum(CATCH_UPS).optional(),
  catchUpWindowMs: durationBetween(0, scheduleLimits.catchUpWindowMs).optional(),
  overlap: z.enum(OVERLAPS).optional(),
  spread: spread.optional(),
  startsAt: instant.nullable().optional(),
  endsAt: instant.nullable().optional(),
  maxRuns: integerBetween(1, scheduleLimits.runs).nullable().optional(),
  except: z.array(exception).max(scheduleLimits.exceptions).optional(),
  pauseAfterFailures: integerBetween(1, limits.attempts).nullable().optional(),
  priority: integerBetween(-limits.priority, limits.priority).optional(),
  maxAttempts: integerBetween(1, limits.attempts).nullable().optional(),
  timeoutMs: durationBetween(limits.timeoutMs.min, limits.timeoutMs.max).nullable().optional(),
  backoff: backoffSchema.nullable().optional(),
  expiresInMs: durationBetween(1, limits.delayMs).nullable().optional(),
}

const SETTING_KEYS = Object.keys(settingsFields)

const knownSettings = {
  error: (issue: { readonly code: string; readonly keys?: unknown }) => suggestKeys(issue, ['name', ...SETTING_KEYS]),
}

/** Settings of a schedule that are stored apart: declared in code, and overridden by operators. */
export const scheduleSettingsSchema = z.strictObject(
  { ...settingsFields, type: settingsFields.type.optional(), payload: settingsFields.payload.optional() },
  knownSettings,
)

const ONE_RULE = { message: 'needs either cron or every: cron: "0 3 * * *", or every: "45m"', path: ['cron'] }

const hasOneRule = ({ cron, every }: { readonly cron?: unknown; readonly every?: unknown }) =>
  (cron === undefined) !== (every === undefined)

interface TickBounds {
  readonly cron?: string | undefined
  readonly offset?: number | undefined
  readonly startsAt?: number | null | undefined
  readonly endsAt?: number | null | undefined
}

/** A new object for each use: zod changes those that it is given. */
const offsetWithCron = () => ({
  message: 'shifts the ticks of every; with cron write the shifted time in the expression, or leave offset out',
  path: ['offset'],
})
const hasNoOtherOffset = ({ cron, offset = 0 }: TickBounds) => cron === undefined || offset === 0

const BOTH_RULES = { message: 'use either cron or every, not both', path: ['cron'] }

const neverRuns = () => ({ message: 'must be after startsAt: the schedule would never run', path: ['endsAt'] })
const canRun = ({ startsAt, endsAt }: TickBounds) => (endsAt ?? Number.POSITIVE_INFINITY) > (startsAt ?? 0)

const complete = z.strictObject(settingsFields, knownSettings)

const named = z
  .strictObject({ name: scheduleName, ...settingsFields }, knownSettings)
  .refine(hasOneRule, ONE_RULE)
  .refine(hasNoOtherOffset, offsetWithCron())
  .refine(canRun, neverRuns())

export const schedulesInput = z.strictObject({
  search: storable(limits.searchLength).optional(),
  state: z.enum(['active', 'paused', 'orphaned', 'ended']).optional(),
  type: clientTypeName.optional(),
  limit: rows(50, limits.list),
  cursor: storable(scheduleLimits.nameLength).optional(),
})

export const scheduleInput = z.strictObject({ name: scheduleName })

export const schedulePreviewInput = z
  .strictObject({
    name: scheduleName.optional(),
    settings: complete
      .omit({ payload: true, type: true })
      .refine(hasOneRule, ONE_RULE)
      .refine(hasNoOtherOffset, offsetWithCron())
      .refine(canRun, neverRuns())
      .optional(),
    after: instant.optional(),
    count: z.int().min(1).max(scheduleLimits.preview).default(5),
  })
  .refine(({ name, settings }) => name !== undefined || settings !== undefined, {
    message: 'needs the name of a schedule, or settings to preview',
    path: ['name'],
  })

export const scheduleCreateInput = named

/** `set` overrides settings (null: no limit); `clear` removes overrides, so that the declared value applies again. */
export const scheduleUpdateInput = z.strictObject({
  name: scheduleName,
  // One check: a chain of them is a separate schema in OpenAPI.
  set: scheduleSettingsSchema
    .superRefine((set, { addIssue }) => {
      if (set.cron !== undefined && set.every !== undefined) addIssue({ code: 'custom', ...BOTH_RULES })
      if (!hasNoOtherOffset(set)) addIssue({ code: 'custom', ...offsetWithCron() })
      if (!canRun(set)) addIssue({ code: 'custom', ...neverRuns() })
    })
    .default({}),
  clear: z.array(scheduleSettingsSchema.keyof()).default([]),
})

export const schedulePauseInput = z.strictObject({
  name: scheduleName,
  note: storable(scheduleLimits.noteLength).optional(),
})

export const declareSchedulesInput = z
  .strictObject({
    owner: scheduleName,
    schedules: z.array(named).max(scheduleLimits.declared),
    graceMs: durationBetween(0, scheduleLimits.graceMs).default(DAY),
  })
  .refine(({ schedules }) => new Set(schedules.map(({ name }) => name)).size === schedules.length, {
    message: 'has two schedules with the same name; names must be unique',
    path: ['schedules'],
  })

export const scheduleBackfillInput = z
  .strictObject({
    name: scheduleName,
    from: instant,
    to: instant,
    again: z.boolean().default(false),
    undoMs: delayMs.max(60_000).default(10_000),
  })
  .refine(({ from, to }) => from <= to, { message: 'must not be before from', path: ['to'] })

/** Settings of one schedule. Exactly one of `cron` and `every` is required. */
export interface ScheduleSettingsInput {
  /** The name of the job type. */
  type: string
  /** The payload of every job. */
  payload: unknown
  /** Kind of the type: `job`, `message` (messages API) or `command` (shell workers); default `job`. */
  kind?: JobKind | undefined
  /** Cron expression with five fields, or six with seconds first: `0 3 * * *`; also `@daily` and the like. */
  cron?: string | undefined
  /** Interval in milliseconds or as text (`'45m'`), aligned to the epoch: restarts do not shift it. */
  every?: Duration | string | undefined
  /** Shifts the ticks of an interval, in milliseconds or as text; default 0. */
  offset?: Duration | string | undefined
  /** IANA time zone of the cron expression and of dates in `except`; default `UTC`. */
  timezone?: string | undefined
  /** Ticks that became due while no node ran: `one` job for all, `none`, or `all`, oldest first; default `one`. */
  catchUp?: CatchUp | undefined
  /** Ticks that are later than this are not caught up, in milliseconds; default 24 hours. */
  catchUpWindowMs?: number | undefined
  /** When the job of an earlier tick is unfinished: `skip`, `queueOne`, `queueAll`, `cancel` or `allow`; default `skip`. */
  overlap?: Overlap | undefined
  /** Delays each tick by a stable part of this time (`'10m'`) or of the interval (`'50%'`); default 0. */
  spread?: Duration | string | undefined
  /** No ticks before this time, in milliseconds UTC; default: none. */
  startsAt?: number | null | undefined
  /** No ticks from this time on, in milliseconds UTC; default: none. */
  endsAt?: number | null | undefined
  /** Number of jobs after which the schedule ends; default: no limit. */
  maxRuns?: number | null | undefined
  /** Ticks to leave out: instants in milliseconds UTC, or dates in the time zone (`'2026-12-25'`); default: none. */
  except?: (number | string)[] | undefined
  /** Pauses the schedule after this many jobs in a row have failed for good; default: never. */
  pauseAfterFailures?: number | null | undefined
  /** Priority of the jobs; default 0. */
  priority?: number | undefined
  /** Maximum number of attempts of a job; default: the setting of its type. */
  maxAttempts?: number | null | undefined
  /** Time limit of one attempt, in milliseconds; default: the setting of the type. */
  timeoutMs?: number | null | undefined
  /** Delay between attempts; default: the setting of the type. */
  backoff?: BackoffInput | null | undefined
  /** A job that has not started this long after it was enqueued is cancelled, in milliseconds; default: never. */
  expiresInMs?: number | null | undefined
}

/** A schedule with its name. */
export interface ScheduleCreateInput extends ScheduleSettingsInput {
  /** The name, unique in the queue. */
  name: string
}

/** Which schedules to list. */
export interface SchedulesInput {
  /** Only schedules with this text in their name or type; default: all. */
  search?: string | undefined
  /** Only schedules in this state; default: all. */
  state?: 'active' | 'ended' | 'orphaned' | 'paused' | undefined
  /** Only schedules of this job type; default: all. */
  type?: string | undefined
  /** Schedules per page; default 50. */
  limit?: number | undefined
  /** The `nextCursor` of the previous page. */
  cursor?: string | undefined
}

/** One schedule by name. */
export interface ScheduleInput {
  /** The name of the schedule. */
  name: string
}

/** What to preview: a stored schedule, or settings that are not stored. */
export interface SchedulePreviewInput {
  /** The name of a stored schedule; with `settings` only the spread of its ticks depends on it. */
  name?: string | undefined
  /** Settings that are not stored. */
  settings?: Omit<ScheduleSettingsInput, 'payload' | 'type'> | undefined
  /** The ticks after this time, in milliseconds UTC; default: now. */
  after?: number | undefined
  /** How many ticks; default 5. */
  count?: number | undefined
}

type Optional<Settings> = { [Key in keyof Settings]?: Settings[Key] | undefined }

/** Overrides of the settings of one schedule. */
export interface ScheduleUpdateInput {
  /** The name of the schedule. */
  name: string
  /** Settings to override; null means 'no limit'; default: none. */
  set?: Optional<ScheduleSettingsInput> | undefined
  /** Overrides to remove, so that the declared setting applies again; default: none. */
  clear?: (keyof ScheduleSettingsInput)[] | undefined
}

/** The schedule to pause, and why. */
export interface SchedulePauseInput {
  /** The name of the schedule. */
  name: string
  /** The reason, shown beside the schedule; default: none. */
  note?: string | undefined
}

/** All schedules of one owner, declared by code. */
export interface DeclareSchedulesInput {
  /** The name of the application that declares them. */
  owner: string
  /** All schedules of this owner; a stored one that is missing becomes orphaned. */
  schedules: ScheduleCreateInput[]
  /** How long an orphaned schedule goes on, in milliseconds; default 24 hours. */
  graceMs?: number | undefined
}

/** The ticks to enqueue afterwards. */
export interface ScheduleBackfillInput {
  /** The name of the schedule. */
  name: string
  /** The first tick may be at this time, in milliseconds UTC. */
  from: number
  /** The last tick may be at this time, in milliseconds UTC; not in the future. */
  to: number
  /** true: enqueues ticks again that have a job already; default false. */
  again?: boolean | undefined
  /** How long `undoBulk` is possible, in milliseconds; default 10,000. */
  undoMs?: number | undefined
}
