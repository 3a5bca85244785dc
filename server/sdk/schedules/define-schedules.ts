/** `defineSchedules`: schedules in code, with payloads typed and validated by their jobs. */

import { scheduleName } from '../../../shared/contracts/schedule-fields.ts'
import {
  type ScheduleCreateInput,
  type ScheduleSettingsInput,
  scheduleCreateInput,
} from '../../../shared/contracts/schedules.ts'
import { type Duration, durationMs } from '../../../shared/duration.ts'
import { QueueError } from '../../../shared/errors.ts'
import { refuseUnknownKeys, suggestion } from '../../../shared/json/unknown-keys.ts'
import { DAY } from '../../../shared/limits.ts'
import { scheduleLimits } from '../../../shared/schedules/limits.ts'
import { type JobDefinitions, type PayloadOf, typeOf } from '../jobs/definition.ts'
import { parsePart } from '../jobs/standard-schema.ts'
import { type PreparedPayload, storedPayload } from '../jobs/stored-payload.ts'

/** A cron expression, or an interval. */
export type ScheduleRule =
  | (Pick<ScheduleSettingsInput, 'offset'> & {
      /** Interval in milliseconds or as text (`'45m'`), aligned to the epoch: restarts do not shift it. */
      readonly every: Duration | string
      readonly cron?: undefined
    })
  | {
      /** Cron expression with five fields, or six with seconds first: `0 3 * * *`; also `@daily` and the like. */
      readonly cron: string
      readonly every?: undefined
      readonly offset?: undefined
    }

/** Settings of a schedule besides its job, payload and rule. */
export type ScheduleOptions = Omit<ScheduleSettingsInput, 'cron' | 'every' | 'kind' | 'offset' | 'payload' | 'type'>

/** Optional when the schema of the job allows undefined. */
type ScheduledPayload<Payload> = undefined extends Payload
  ? {
      /** The payload of every job; checked against the schema of the job. */
      readonly payload?: Payload
    }
  : {
      /** The payload of every job; checked against the schema of the job. */
      readonly payload: Payload
    }

/** One schedule: the name of its job, a payload that fits, and a rule. */
export type ScheduleDefinition<Definitions extends JobDefinitions> = {
  readonly [Name in keyof Definitions & string]: {
    /** The name of the job in the definitions. */
    readonly job: Name
  } & ScheduledPayload<PayloadOf<Definitions[Name]>> &
    ScheduleRule &
    ScheduleOptions
}[keyof Definitions & string]

/** Schedules by name. */
export type ScheduleDefinitions<Definitions extends JobDefinitions> = Readonly<
  Record<string, ScheduleDefinition<Definitions>>
>

/** Options of `defineSchedules`. */
export interface DefineSchedulesOptions {
  /**
   * The name of the application, unique among those that use the queue: a schedule of this owner that is no longer declared
   * becomes orphaned; default `default`.
   */
  readonly owner?: string
  /** How long an orphaned schedule goes on; default 24 hours. */
  readonly grace?: Duration
}

/** Validated schedules of one application, for the option `schedules` of workers, clients and test queues. */
export interface Schedules {
  /** The names of the schedules. */
  readonly names: readonly string[]
  /** The application that declares them. */
  readonly owner: string
  /** How long an orphaned schedule goes on, in milliseconds. */
  readonly graceMs: number
  /** The schedules as they are declared to the queue. Rejects when an asynchronous check of a payload fails. */
  declarations(): Promise<readonly ScheduleCreateInput[]>
}

const DEFAULT_OWNER = 'default'

/**
 * Checks schedules and returns them: their rules, time zones and options, and each payload against the schema of its job. Pass all
 * schedules of an application at once: those that are missing become orphaned.
 */
export function defineSchedules<const Definitions extends JobDefinitions>(
  jobs: Definitions,
  schedules: ScheduleDefinitions<Definitions>,
  options: DefineSchedulesOptions = {},
): Schedules {
  refuseUnknownKeys(options, ['owner', 'grace'], 'defineSchedules')
  const { owner = DEFAULT_OWNER, grace = DAY } = options
  parsePart(scheduleName, owner, 'The owner of the schedules')
  const graceMs = durationMs(grace)
  const entries = Object.entries(schedules)
  if (entries.length > scheduleLimits.declared) {
    throw new QueueError(
      'BAD_INPUT',
      `${owner} defines ${entries.length} schedules; the limit is ${scheduleLimits.declared}. Create schedules that come from data with createSchedule.`,
    )
  }
  const inputs = entries.map(([name, schedule]) => inputOf(jobs, name, schedule))
  return { names: entries.map(([name]) => name), owner, graceMs, declarations: () => Promise.all(inputs) }
}

type AnySchedule = { readonly job: string; readonly payload?: unknown } & ScheduleRule & ScheduleOptions
type MaybePromise<Value> = Value | Promise<Value>

function inputOf(jobs: JobDefinitions, name: string, schedule: AnySchedule): MaybePromise<ScheduleCreateInput> {
  const { job, payload, ...settings } = schedule
  const definition = Object.hasOwn(jobs, job) ? jobs[job] : undefined
  if (!definition) throw unknownJob(name, job, Object.keys(jobs))
  const type = typeOf(job, definition)
  const check = ({ stored }: Pick<PreparedPayload, 'stored'>): ScheduleCreateInput => ({
    name,
    type,
    payload: stored,
    ...settings,
  })
  // Durations stay as they were written: the queue parses them again.
  parsePart(scheduleCreateInput, check({ stored: null }), `The schedule ${name}`)
  const stored = storedPayload(definition.payload, payload, `The payload of the schedule ${name}`)
  if (!(stored instanceof Promise)) return check(stored)
  const checked = stored.then(check)
  // Reported when the schedules are declared.
  checked.catch(() => {})
  return checked
}

function unknownJob(schedule: string, job: string, known: readonly string[]): QueueError {
  const similar = suggestion(job, known)
  const hint = similar === undefined ? `the jobs are ${known.join(', ')}.` : `did you mean ${similar}?`
  return new QueueError('BAD_INPUT', `The schedule ${schedule} is for the job ${job}, which is not defined; ${hint}`)
}
