/** Settings of a schedule as names and texts. */
import { formatDuration } from '../../../../shared/duration.ts'
import type { EffectiveSchedule, ScheduleSettings } from '../../../../shared/schedules/schedule.ts'
import { formatNumber } from '../../../lib/format-number.ts'
import { CATCH_UP_CHOICES, OVERLAP_CHOICES } from '../form/choices.ts'

export type SettingKey = keyof ScheduleSettings

export interface SettingRow {
  /** Overrides of these keys belong to the row. */
  readonly keys: readonly SettingKey[]
  readonly name: string
  readonly text: string
}

export function settingRows(effective: EffectiveSchedule): readonly SettingRow[] {
  const { cron, every, offset, timezone, spread, startsAt, endsAt, maxRuns, except } = effective
  const { catchUp, catchUpWindowMs, overlap, pauseAfterFailures } = effective
  const { type, kind, priority, maxAttempts, timeoutMs, backoff, expiresInMs } = effective
  const all: readonly (readonly [keys: readonly SettingKey[], name: string, text: string, isShown?: boolean])[] = [
    [['type'], 'Type', type],
    [['kind'], 'Kind', kind, kind !== 'job'],
    [['cron', 'every'], cron === null ? 'Interval' : 'Cron', cron ?? formatDuration(every ?? 0)],
    [['offset'], 'Offset', formatDuration(offset), offset !== 0],
    [['timezone'], 'Time zone', timezone],
    [
      ['spread'],
      'Spread',
      typeof spread === 'number' ? formatDuration(spread) : `${spread} of the interval`,
      spread !== 0,
    ],
    [['startsAt'], 'Starts', instant(startsAt), startsAt !== null],
    [['endsAt'], 'Ends', instant(endsAt), endsAt !== null],
    [['maxRuns'], 'Maximum runs', limit(maxRuns), maxRuns !== null],
    [['except'], 'Except', except.map(exceptionText).join(', '), except.length > 0],
    [['overlap'], 'Overlap', OVERLAP_CHOICES[overlap]],
    [['catchUp'], 'Catch-up', CATCH_UP_CHOICES[catchUp]],
    [['catchUpWindowMs'], 'Catch-up window', formatDuration(catchUpWindowMs), catchUp !== 'none'],
    [['pauseAfterFailures'], 'Pause after failures', limit(pauseAfterFailures), pauseAfterFailures !== null],
    [['priority'], 'Priority', formatNumber(priority), priority !== 0],
    [['maxAttempts'], 'Max attempts', limit(maxAttempts), maxAttempts !== null],
    [['timeoutMs'], 'Timeout', timeoutMs === null ? '' : formatDuration(timeoutMs), timeoutMs !== null],
    [['backoff'], 'Backoff', backoff?.kind ?? '', backoff !== null],
    [
      ['expiresInMs'],
      'Jobs expire after',
      expiresInMs === null ? '' : formatDuration(expiresInMs),
      expiresInMs !== null,
    ],
  ]
  return all.flatMap(([keys, name, text, isShown = true]) => (isShown ? [{ keys, name, text }] : []))
}

/** An override that hides its setting, such as none over a declared limit. */
export function hiddenOverrides(override: ScheduleSettings, rows: readonly SettingRow[]): readonly SettingKey[] {
  const shown = new Set(rows.flatMap(({ keys }) => keys))
  return OVERRIDABLE.filter((key) => key !== 'payload' && override[key] !== undefined && !shown.has(key))
}

const OVERRIDABLE = [
  ...(['type', 'payload', 'kind', 'cron', 'every', 'offset', 'timezone', 'catchUp', 'catchUpWindowMs'] as const),
  ...(['overlap', 'spread', 'startsAt', 'endsAt', 'maxRuns', 'except', 'pauseAfterFailures', 'priority'] as const),
  ...(['maxAttempts', 'timeoutMs', 'backoff', 'expiresInMs'] as const),
] satisfies readonly SettingKey[]

export function exceptionText(exception: number | string): string {
  return typeof exception === 'number' ? new Date(exception).toISOString() : exception
}

const instant = (at: number | null) => (at === null ? '' : new Date(at).toLocaleString())
const limit = (value: number | null) => (value === null ? '' : formatNumber(value))
