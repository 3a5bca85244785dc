/** Records of schedules: settings, state, ticks and previews. */
import type { Backoff } from '../settings/backoff.ts'
import type { JobKind } from '../status.ts'

/** Policies for ticks that became due while no node ran. */
export const CATCH_UPS = ['one', 'none', 'all'] as const
/** What happens to ticks that became due while no node ran. */
export type CatchUp = (typeof CATCH_UPS)[number]

/** Policies for ticks whose earlier job is unfinished. */
export const OVERLAPS = ['skip', 'queueOne', 'queueAll', 'cancel', 'allow'] as const
/** What a tick does while the job of an earlier tick is unfinished. */
export type Overlap = (typeof OVERLAPS)[number]

/** Settings as stored: declared in code or overridden by operators. Durations are milliseconds. */
export interface ScheduleSettings {
  /** The name of the job type. */
  type?: string | undefined
  /** The payload of every job. */
  payload?: unknown
  /** Kind of the type. */
  kind?: JobKind | undefined
  /** Cron expression. */
  cron?: string | undefined
  /** Interval, aligned to the epoch. */
  every?: number | undefined
  /** Shifts the ticks of an interval. */
  offset?: number | undefined
  /** IANA time zone. */
  timezone?: string | undefined
  /** What happens to ticks that became due while no node ran. */
  catchUp?: CatchUp | undefined
  /** Ticks that are later than this are not caught up. */
  catchUpWindowMs?: number | undefined
  /** What a tick does while the job of an earlier tick is unfinished. */
  overlap?: Overlap | undefined
  /** Each tick is delayed by a stable part of this time, or of the interval (`50%`). */
  spread?: number | string | undefined
  /** No ticks before this time. */
  startsAt?: number | null | undefined
  /** No ticks from this time on. */
  endsAt?: number | null | undefined
  /** Number of jobs after which the schedule ends. */
  maxRuns?: number | null | undefined
  /** Ticks to leave out: instants, or dates in the time zone. */
  except?: readonly (number | string)[] | undefined
  /** Pauses the schedule after this many jobs in a row have failed for good. */
  pauseAfterFailures?: number | null | undefined
  /** Priority of the jobs. */
  priority?: number | undefined
  /** Maximum number of attempts of a job. */
  maxAttempts?: number | null | undefined
  /** Time limit of one attempt. */
  timeoutMs?: number | null | undefined
  /** Delay between attempts. */
  backoff?: Backoff | null | undefined
  /** A job that has not started this long after it was enqueued is cancelled. */
  expiresInMs?: number | null | undefined
}

/** The settings in force. Exactly one of `cron` and `every` is not null. */
export interface EffectiveSchedule {
  /** The name of the job type. */
  readonly type: string
  /** The payload of every job. */
  readonly payload: unknown
  /** Kind of the type. */
  readonly kind: JobKind
  /** Cron expression; null: an interval. */
  readonly cron: string | null
  /** Interval in milliseconds; null: a cron expression. */
  readonly every: number | null
  /** Shift of the interval, in milliseconds. */
  readonly offset: number
  /** IANA time zone. */
  readonly timezone: string
  /** What happens to ticks that became due while no node ran. */
  readonly catchUp: CatchUp
  /** Ticks that are later than this are not caught up, in milliseconds. */
  readonly catchUpWindowMs: number
  /** What a tick does while the job of an earlier tick is unfinished. */
  readonly overlap: Overlap
  /** Maximum delay of a tick: milliseconds, or a part of the interval as `50%`. */
  readonly spread: number | string
  /** No ticks before this time; null: no limit. */
  readonly startsAt: number | null
  /** No ticks from this time on; null: no limit. */
  readonly endsAt: number | null
  /** Number of jobs after which the schedule ends; null: no limit. */
  readonly maxRuns: number | null
  /** Ticks to leave out: instants, or dates in the time zone. */
  readonly except: readonly (number | string)[]
  /** Pauses after this many failed jobs in a row; null: never. */
  readonly pauseAfterFailures: number | null
  /** Priority of the jobs. */
  readonly priority: number
  /** Maximum number of attempts of a job; null: the setting of its type. */
  readonly maxAttempts: number | null
  /** Time limit of one attempt, in milliseconds; null: the setting of the type. */
  readonly timeoutMs: number | null
  /** Delay between attempts; null: the setting of the type. */
  readonly backoff: Backoff | null
  /** A job that has not started this long after it was enqueued is cancelled; null: never. */
  readonly expiresInMs: number | null
}

/** States of a schedule. */
export const SCHEDULE_STATES = ['active', 'paused', 'orphaned', 'ended'] as const
/** `orphaned`: its owner no longer declares it, so it stops after a grace period. `ended`: it has no further tick. */
export type ScheduleState = (typeof SCHEDULE_STATES)[number]

/** Why and since when a schedule is paused. */
export interface SchedulePause {
  /** When it was paused. */
  readonly at: number
  /** The name of the token or user that paused it; `upkeep`: the queue itself. */
  readonly actor: string
  /** The reason; null: none given. */
  readonly note: string | null
}

/** A schedule: its settings and its state. */
export interface ScheduleRow {
  /** The name of the schedule. */
  readonly name: string
  /** The application that declared it; null: created by an operator. */
  readonly owner: string | null
  /** Settings declared in code; null: created by an operator. */
  readonly declared: ScheduleSettings | null
  /** Settings of operators. */
  readonly override: ScheduleSettings
  /** The settings in force. */
  readonly effective: EffectiveSchedule
  /** The rule in English: `Every day at 03:00, Europe/Berlin`. */
  readonly text: string
  /** Whether it runs. */
  readonly state: ScheduleState
  /** The next tick by the rule; null: none. */
  readonly nextTickAt: number | null
  /** When the job of that tick is enqueued: later by the spread; null: never. */
  readonly nextRunAt: number | null
  /** The last tick that was processed, by the rule; null: none yet. */
  readonly lastTickAt: number | null
  /** How many jobs its ticks have enqueued. */
  readonly runs: number
  /** How many of its jobs in a row have failed for good. */
  readonly failures: number
  /** Why it is paused; null: it is not. */
  readonly paused: SchedulePause | null
  /** Since when its owner no longer declares it; null: declared, or created by an operator. */
  readonly orphanedAt: number | null
  /** When an orphaned schedule stops; null: not orphaned. */
  readonly stopsAt: number | null
  /** When one of its jobs last completed; null: not yet. */
  readonly lastSuccessAt: number | null
  /** When one of its jobs last failed for good; null: not yet. */
  readonly lastFailureAt: number | null
  /** Grows with every change of its settings or its state by an operator or by code. */
  readonly revision: number
  /** When it was created. */
  readonly createdAt: number
  /** When its settings last changed. */
  readonly updatedAt: number
}

/** One page of schedules, in the order of their names. */
export interface SchedulePage {
  /** The schedules. */
  readonly schedules: readonly ScheduleRow[]
  /** The cursor of the next page; null at the end. */
  readonly nextCursor: string | null
}

/** Outcomes of a tick. */
export const TICK_OUTCOMES = ['enqueued', 'skipped', 'missed', 'rejected'] as const
/**
 * `skipped`: the job of an earlier tick was unfinished, or the tick had a job already. `missed`: too late to be caught up.
 * `rejected`: the job could not be enqueued.
 */
export type TickOutcome = (typeof TICK_OUTCOMES)[number]

/** Origins of a tick. */
export const TICK_ORIGINS = ['tick', 'manual', 'backfill'] as const
/** `manual`: run now by an operator. */
export type TickOrigin = (typeof TICK_ORIGINS)[number]

/** One tick of a schedule that was processed. */
export interface ScheduleTick {
  /** The instant by the rule. */
  readonly at: number
  /** When it was due: later by the spread. */
  readonly dueAt: number
  /** When it was processed. */
  readonly processedAt: number
  /** Whether it came from the rule, an operator or a backfill. */
  readonly origin: TickOrigin
  /** What happened. */
  readonly outcome: TickOutcome
  /** The job; of a skipped tick: the unfinished one. null: none. */
  readonly jobId: string | null
  /** How many earlier ticks were missed before this one; counting stops at 1,000. */
  readonly missed: number
  /** Further details; null: none. */
  readonly note: string | null
}

/** A tick to come. */
export interface NextTick {
  /** The instant by the rule. */
  readonly at: number
  /** When the job is enqueued: later by the spread. */
  readonly dueAt: number
  /** What a change of the clocks (daylight saving time) does to it; null: nothing. */
  readonly note: string | null
}

/** A schedule with its last and next ticks. */
export interface ScheduleDetails extends ScheduleRow {
  /** The last 50 ticks, newest first. */
  readonly ticks: readonly ScheduleTick[]
  /** The next 5 ticks. */
  readonly next: readonly NextTick[]
}

/** The next ticks of settings that may not be stored. */
export interface SchedulePreview {
  /** The rule in English. */
  readonly text: string
  /** The next ticks. */
  readonly ticks: readonly NextTick[]
}

/** Why a schedule does not run, or when it does. */
export interface ScheduleExplanation {
  /** The name of the schedule. */
  readonly name: string
  /** Whether it runs. */
  readonly state: ScheduleState
  /** The cause. */
  readonly reason:
    | 'clock_untrusted'
    | 'ended'
    | 'orphaned'
    | 'overdue'
    | 'paused'
    | 'stopped_orphaned'
    | 'type_paused'
    | 'queue_paused'
    | 'waiting'
  /** The cause as a sentence. */
  readonly text: string
  /** When its next job is enqueued; null: never. */
  readonly at: number | null
}

/** Result of running a schedule now. */
export interface ScheduleRun {
  /** Whether a job was enqueued. */
  readonly outcome: TickOutcome
  /** The job; when skipped: the unfinished one. */
  readonly jobId: string | null
}

/** Result of declaring schedules. */
export interface DeclaredSchedules {
  /** Names of new schedules. */
  readonly created: readonly string[]
  /** Names of changed schedules. */
  readonly changed: readonly string[]
  /** Names of schedules that are orphaned now. */
  readonly orphaned: readonly string[]
}

/** The tick that a job belongs to. */
export interface JobTick {
  /** The name of the schedule. */
  readonly schedule: string
  /** The instant by the rule; of a manual run: when it was requested. */
  readonly at: number
  /** The tick before it; null: none. */
  readonly previous: number | null
  /** How many ticks before it were missed. */
  readonly missed: number
  /** true: enqueued by a backfill. */
  readonly backfill: boolean
}
