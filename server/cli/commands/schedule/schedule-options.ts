/** Options of `queuectl schedule` that set fields of a schedule. */
import { type Command, InvalidArgumentError, Option } from 'commander'
import type { ScheduleSettingsInput } from '../../../../shared/contracts/schedules.ts'
import { nearest } from '../../../../shared/json/nearest.ts'
import { CATCH_UPS, type CatchUp, OVERLAPS, type Overlap } from '../../../../shared/schedules/schedule.ts'
import { usageError } from '../../exit-codes.ts'
import { duration, instant, json, positive, whole } from '../../input/option-values.ts'

/** Options of the rule, which `preview` has too. */
export interface RuleOptions {
  readonly cron?: string
  readonly every?: string
  readonly offset?: string
  readonly timezone?: string
  readonly spread?: string
  readonly startsAt?: OrNone<number>
  readonly endsAt?: OrNone<number>
  readonly except?: readonly string[]
}

/** Options of `create` and `set`. */
export interface SettingOptions extends RuleOptions {
  readonly type?: string
  readonly payload?: unknown
  readonly command?: string
  readonly catchUp?: CatchUp
  readonly catchUpWindow?: number
  readonly overlap?: Overlap
  readonly maxRuns?: OrNone<number>
  readonly pauseAfterFailures?: OrNone<number>
  readonly priority?: number
  readonly maxAttempts?: OrNone<number>
  readonly timeout?: OrNone<number>
  readonly backoff?: unknown
  readonly expiresIn?: OrNone<number>
}

/** The type of commands, as for `queuectl enqueue`. */
const SHELL = 'shell'

export function addRuleOptions(command: Command): Command {
  return command
    .option('--cron <expression>', 'minute hour day month weekday: "0 3 * * *"; also @daily and the like')
    .option('--every <duration>', 'interval instead of a cron expression: 45m, 12h')
    .option('--offset <duration>', 'shift of the interval: 5m')
    .option('--timezone <zone>', 'IANA time zone of the cron expression: Europe/Berlin (default: UTC)')
    .option('--spread <duration>', 'delay each tick by a stable part of this time, 10m, or of the interval, 50%')
    .option('--starts-at <time>', 'no ticks before this time', orNone(instant))
    .option('--ends-at <time>', 'no ticks from this time on', orNone(instant))
    .option('--except <times...>', 'ticks to leave out: dates in the time zone (2026-12-25), or times')
}

export function addSettingOptions(command: Command): Command {
  command
    .option('--type <name>', 'job type (default for commands: shell)')
    .option('--payload <json>', 'payload of every job', json)
    .option('-c, --command <line>', 'shell command line to run, instead of a payload')
  return addRuleOptions(command)
    .addOption(new Option('--catch-up <policy>', 'ticks that became due while no node ran').choices(CATCH_UPS))
    .option('--catch-up-window <duration>', 'ticks later than this are not caught up: 24h', duration)
    .addOption(new Option('--overlap <policy>', 'when the job of an earlier tick is unfinished').choices(OVERLAPS))
    .option('--max-runs <number>', 'end after this many jobs', orNone(positive))
    .option('--pause-after-failures <number>', 'pause after this many failed jobs in a row', orNone(positive))
    .option('--priority <number>', 'higher runs first', whole)
    .option('--max-attempts <number>', 'maximum number of attempts of a job', orNone(positive))
    .option('--timeout <duration>', 'time limit of one attempt', orNone(duration))
    .option('--backoff <json>', 'delay between attempts: {"kind":"fixed","baseMs":60000}', orNone(json))
    .option('--expires-in <duration>', 'cancel a job that has not started after this time', orNone(duration))
}

/** No limit, or the setting of the type. Not null, which Commander replaces with an empty text. */
const NONE = 'none'
type OrNone<Value> = Value | typeof NONE

function orNone<Value>(parse: (text: string) => Value): (text: string) => OrNone<Value> {
  return (text) => (text.trim() === NONE ? NONE : parse(text))
}

function limit<Value>(value: OrNone<Value> | undefined): Value | null | undefined {
  return value === NONE ? null : value
}

type Partially<Settings> = { [Key in keyof Settings]?: Settings[Key] | undefined }
type RuleSettings = Partially<
  Pick<ScheduleSettingsInput, 'cron' | 'every' | 'offset' | 'timezone' | 'spread' | 'startsAt' | 'endsAt' | 'except'>
>

export function ruleOf(options: RuleOptions): RuleSettings {
  const { cron, every, offset, timezone, spread, startsAt, endsAt, except } = options
  if (cron !== undefined && every !== undefined) throw usageError('Give either --cron or --every, not both.')
  return {
    ...{ cron, every, offset, timezone, spread, startsAt: limit(startsAt), endsAt: limit(endsAt) },
    except: except?.map(exceptionOf),
  }
}

export async function settingsOf(options: SettingOptions): Promise<Partially<ScheduleSettingsInput>> {
  const { catchUp, catchUpWindow: catchUpWindowMs, overlap, priority } = options
  return {
    ...workOf(options),
    ...ruleOf(options),
    ...{ catchUp, catchUpWindowMs, overlap, priority },
    maxRuns: limit(options.maxRuns),
    pauseAfterFailures: limit(options.pauseAfterFailures),
    maxAttempts: limit(options.maxAttempts),
    timeoutMs: limit(options.timeout),
    expiresInMs: limit(options.expiresIn),
    backoff: await backoffOf(options.backoff),
  }
}

/** Whether an option was given. */
export function hasSettings(settings: Partially<ScheduleSettingsInput>): boolean {
  return Object.values(settings).some((value) => value !== undefined)
}

function workOf({ type, payload, command }: SettingOptions): Partially<ScheduleSettingsInput> {
  if (command === undefined) return { type, payload }
  if (payload !== undefined) throw usageError('Give either --command or --payload, not both.')
  if (command.trim() === '') throw usageError('--command must be a shell command line, like "echo hi".')
  return { type: type ?? SHELL, kind: 'command', payload: { command } }
}

async function backoffOf(given: unknown): Promise<ScheduleSettingsInput['backoff']> {
  if (given === undefined) return undefined
  if (given === NONE) return null
  const { backoffSchema } = await import('../../../../shared/settings/backoff.ts')
  const { parseInput } = await import('../../../../shared/verbs/parse-input.ts')
  return parseInput(backoffSchema, given, 'backoff')
}

function exceptionOf(text: string): number | string {
  try {
    return /^\d{4}-\d{2}-\d{2}$/.test(text) ? text : instant(text)
  } catch (error) {
    if (!(error instanceof InvalidArgumentError)) throw error
    throw usageError(`--except ${text}: it must be a date like 2026-12-25, or a time like 2026-12-25T03:00.`)
  }
}

/** The settings that `clear` takes, by the name of their option. */
const CLEARABLE = {
  type: 'type',
  payload: 'payload',
  cron: 'cron',
  every: 'every',
  offset: 'offset',
  timezone: 'timezone',
  spread: 'spread',
  'starts-at': 'startsAt',
  'ends-at': 'endsAt',
  except: 'except',
  'catch-up': 'catchUp',
  'catch-up-window': 'catchUpWindowMs',
  overlap: 'overlap',
  'max-runs': 'maxRuns',
  'pause-after-failures': 'pauseAfterFailures',
  priority: 'priority',
  'max-attempts': 'maxAttempts',
  timeout: 'timeoutMs',
  backoff: 'backoff',
  'expires-in': 'expiresInMs',
} as const satisfies Readonly<Record<string, keyof ScheduleSettingsInput>>

export const CLEARABLE_NAMES: readonly string[] = Object.keys(CLEARABLE)

/** Accepts the names of the options, and those of the fields in JSON. */
export function settingNamed(given: string): keyof ScheduleSettingsInput {
  const name = given.replace(/^--/, '')
  const found = Object.entries(CLEARABLE).find(([option, field]) => name === option || name === field)
  if (found) return found[1]
  const meant = nearest(name, CLEARABLE_NAMES, 3)
  throw usageError(
    `There is no setting ${given}; ${meant ? `did you mean ${meant}?` : `use ${CLEARABLE_NAMES.join(', ')}.`}`,
  )
}

/** The name of the option that sets a field. */
export function optionOf(field: string): string {
  return Object.entries(CLEARABLE).find(([, name]) => name === field)?.[0] ?? field
}
