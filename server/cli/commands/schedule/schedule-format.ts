/** Formats schedules and their ticks for the terminal. */
import { formatDuration } from '../../../../shared/duration.ts'
import { HOUR, MINUTE } from '../../../../shared/limits.ts'
import type {
  NextTick,
  ScheduleDetails,
  ScheduleRow,
  ScheduleState,
  ScheduleTick,
} from '../../../../shared/schedules/schedule.ts'
import { offsetAt, wallOf } from '../../../../shared/schedules/zone.ts'
import { grouped, oneLine } from '../../output/format.ts'
import type { Brush, Paint } from '../../output/paint.ts'
import { type Column, type TableOptions, table } from '../../output/table.ts'
import { age } from '../../output/times.ts'
import { optionOf } from './schedule-options.ts'

const WEEKDAYS = ['Sun', 'Mon', 'Tue', 'Wed', 'Thu', 'Fri', 'Sat']

/** `Fri 2026-11-20 03:00 +01:00`: the time in the zone of the schedule, not in that of this machine. */
export function zonedTime(zone: string, at: number): string {
  const wall = new Date(wallOf(zone, at))
  const text = wall.toISOString()
  const time = text.slice(17, 19) === '00' ? text.slice(11, 16) : text.slice(11, 19)
  return `${WEEKDAYS[wall.getUTCDay()]} ${text.slice(0, 10)} ${time} ${offsetText(offsetAt(zone, at))}`
}

function offsetText(ms: number): string {
  const [hours, minutes] = [Math.abs(ms) / HOUR, (Math.abs(ms) % HOUR) / MINUTE].map(Math.trunc)
  return `${ms < 0 ? '-' : '+'}${String(hours).padStart(2, '0')}:${String(minutes).padStart(2, '0')}`
}

/** `Fri 2026-11-20 03:00 +01:00 (in 14 h)` */
export function zonedWithAge(zone: string, at: number, now: number): string {
  return `${zonedTime(zone, at)} (${age(at, now)})`
}

function stateBrush(paint: Paint, state: ScheduleState): Brush {
  if (state === 'active') return paint.green
  return state === 'ended' ? paint.dim : paint.yellow
}

export function scheduleTable(rows: readonly ScheduleRow[], now: number, options: TableOptions): string[] {
  const columns: Column<ScheduleRow>[] = [
    { title: 'NAME', cell: ({ name }) => name },
    { title: 'STATE', cell: ({ state }) => state, brush: ({ state }) => stateBrush(options.paint, state) },
    {
      title: 'NEXT RUN',
      cell: ({ effective, nextRunAt }) =>
        nextRunAt === null ? 'never' : zonedWithAge(effective.timezone, nextRunAt, now),
    },
    { title: 'TYPE', cell: ({ effective }) => effective.type },
    { title: 'RUNS', cell: ({ runs }) => grouped(runs), isNumber: true, isOptional: true },
    {
      title: 'LAST SUCCESS',
      cell: ({ lastSuccessAt }) => (lastSuccessAt === null ? 'never' : age(lastSuccessAt, now)),
      isOptional: true,
    },
    { title: 'RULE', cell: ({ text }) => text },
  ]
  return table(columns, rows, options)
}

export function nextTable(ticks: readonly NextTick[], zone: string, now: number, options: TableOptions): string[] {
  const columns: Column<NextTick>[] = [
    // A preview may start in the past.
    { title: 'NEXT TICKS', cell: ({ at }) => (at < now ? zonedTime(zone, at) : zonedWithAge(zone, at, now)) },
    ...(ticks.some(({ at, dueAt }) => at !== dueAt)
      ? [{ title: 'RUNS AT', cell: ({ dueAt }: NextTick) => zonedTime(zone, dueAt) }]
      : []),
    ...(ticks.some(({ note }) => note !== null) ? [{ title: 'NOTE', cell: ({ note }: NextTick) => note ?? '' }] : []),
  ]
  // A shortened note would hide what a change of the clocks does.
  return table(columns, ticks, { ...options, width: Number.POSITIVE_INFINITY })
}

export function historyTable(
  ticks: readonly ScheduleTick[],
  zone: string,
  now: number,
  options: TableOptions,
): string[] {
  const { paint } = options
  const columns: Column<ScheduleTick>[] = [
    { title: 'LAST TICKS', cell: ({ at }) => zonedWithAge(zone, at, now) },
    {
      title: 'OUTCOME',
      cell: ({ outcome }) => outcome,
      brush: ({ outcome }) =>
        outcome === 'enqueued' ? paint.green : outcome === 'rejected' ? paint.red : paint.yellow,
    },
    { title: 'ORIGIN', cell: ({ origin }) => (origin === 'tick' ? 'rule' : origin), isOptional: true },
    { title: 'MISSED', cell: ({ missed }) => (missed === 0 ? '' : grouped(missed)), isNumber: true },
    { title: 'JOB', cell: ({ jobId }) => jobId ?? '' },
    { title: 'NOTE', cell: ({ note }) => note ?? '' },
  ]
  return table(columns, ticks, options)
}

type Entry = readonly [name: string, value: string]

/** Names and values of `schedule show`. */
export function scheduleFacts(row: ScheduleDetails, now: number, paint: Paint): readonly Entry[] {
  const { effective, paused } = row
  const time = (at: number) => zonedWithAge(effective.timezone, at, now)
  const entry = (name: string, value: string | number | null | false): readonly Entry[] =>
    value === null || value === false ? [] : [[name, oneLine(String(value))]]
  const at = (name: string, value: number | null) => entry(name, value === null ? null : time(value))
  const note = paused && paused.note !== null ? `: ${paused.note}` : ''
  return [
    ['name', oneLine(row.name)],
    ['state', stateBrush(paint, row.state)(row.state)],
    ...entry('paused', paused && `by ${paused.actor}, ${time(paused.at)}${note}`),
    ['rule', row.text],
    ...entry('cron', effective.cron),
    ...(row.nextRunAt === null ? [['next run', 'never'] as const] : at('next run', row.nextRunAt)),
    ...at('last tick', row.lastTickAt),
    ...at('last success', row.lastSuccessAt),
    ...at('last failure', row.lastFailureAt),
    ...entry(
      'runs',
      effective.maxRuns === null ? grouped(row.runs) : `${grouped(row.runs)} of ${grouped(effective.maxRuns)}`,
    ),
    ...entry('failures in a row', row.failures > 0 && row.failures),
    ...entry('owner', row.owner),
    ...at('orphaned', row.orphanedAt),
    ...at('stops', row.stopsAt),
    ...entry('overridden', Object.keys(row.override).length > 0 && row.owner !== null && overrides(row)),
    ...settings(row, time),
    ...payload(effective.payload),
  ]
}

function overrides({ override }: ScheduleRow): string {
  return Object.keys(override).map(optionOf).join(', ')
}

function settings({ effective }: ScheduleRow, time: (at: number) => string): readonly Entry[] {
  const entry = (name: string, value: string | number | null): readonly Entry[] =>
    value === null || value === '' ? [] : [[name, oneLine(String(value))]]
  const ms = (name: string, value: number | null) => entry(name, value === null ? null : formatDuration(value))
  const { catchUp, catchUpWindowMs, spread, except, backoff } = effective
  return [
    ...entry('type', effective.type),
    ...entry('catch-up', catchUp === 'none' ? catchUp : `${catchUp}, within ${formatDuration(catchUpWindowMs)}`),
    ...entry('overlap', effective.overlap),
    ...(spread === 0 ? [] : entry('spread', typeof spread === 'number' ? formatDuration(spread) : spread)),
    ...entry('starts at', effective.startsAt === null ? null : time(effective.startsAt)),
    ...entry('ends at', effective.endsAt === null ? null : time(effective.endsAt)),
    ...entry('except', except.map((one) => (typeof one === 'number' ? time(one) : one)).join(', ')),
    ...entry('pause after failures', effective.pauseAfterFailures),
    ...(effective.priority === 0 ? [] : entry('priority', effective.priority)),
    ...entry('max attempts', effective.maxAttempts),
    ...ms('timeout', effective.timeoutMs),
    ...entry('backoff', backoff === null ? null : JSON.stringify(backoff)),
    ...ms('expires in', effective.expiresInMs),
  ]
}

/** Pretty-printed JSON; the name stands on the first line. */
function payload(value: unknown): readonly Entry[] {
  const lines = (JSON.stringify(value, null, 2) ?? 'null').split('\n')
  return lines.map((line, index) => [index === 0 ? 'payload' : '', oneLine(line)])
}
