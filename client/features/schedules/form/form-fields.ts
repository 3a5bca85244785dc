/** Text fields of the schedule form: how each setting is written as text, and read from it. */
import { DURATION_RULE, formatDuration, parseDuration } from '../../../../shared/duration.ts'
import type { EffectiveSchedule, ScheduleSettings } from '../../../../shared/schedules/schedule.ts'
import { isLocalDate } from '../../../../shared/schedules/zone.ts'
import { toLocalInput } from './local-input.ts'

/** The backoff is not in the form. */
export interface Change extends Omit<ScheduleSettings, 'backoff' | 'except'> {
  readonly except?: (number | string)[] | undefined
}
export type SettingName = keyof Change

export interface FormField {
  readonly key: SettingName
  readonly label: string
  readonly help: string
  readonly placeholder?: string
  readonly type?: 'datetime-local'
  readonly read: (effective: EffectiveSchedule) => string
  /** A text as the result is a problem. */
  readonly write: (text: string) => Change | string
}

export const BOUND_FIELDS: readonly FormField[] = [
  {
    key: 'spread',
    label: 'Spread',
    help: 'delays each tick by a stable part of this time, or of the interval',
    placeholder: '10m or 50%',
    read: ({ spread }) => (typeof spread === 'string' ? spread : span(spread, 0)),
    write: readSpread,
  },
  instantField('startsAt', 'Starts', 'no ticks before; empty: at once', (startsAt) => ({ startsAt })),
  instantField('endsAt', 'Ends', 'no ticks from this time on; empty: never', (endsAt) => ({ endsAt })),
  limitField('maxRuns', 'Maximum runs', 'ends after this many jobs', (maxRuns) => ({ maxRuns })),
  {
    key: 'except',
    label: 'Except',
    help: 'dates in the time zone, or instants, separated by commas',
    placeholder: '2026-12-25, 2027-01-01',
    read: ({ except }) => except.map((one) => (typeof one === 'number' ? new Date(one).toISOString() : one)).join(', '),
    write: readExceptions,
  },
]

export const LATE_FIELDS: readonly FormField[] = [
  {
    key: 'catchUpWindowMs',
    label: 'Catch-up window',
    help: 'ticks that are later than this count as missed',
    read: ({ catchUpWindowMs }) => formatDuration(catchUpWindowMs, ''),
    write: (text) => ofDuration(text, (catchUpWindowMs) => ({ catchUpWindowMs })),
  },
  limitField('pauseAfterFailures', 'Pause after failures', 'this many failed jobs in a row; empty: never', (value) => ({
    pauseAfterFailures: value,
  })),
]

export const JOB_FIELDS: readonly FormField[] = [
  {
    key: 'priority',
    label: 'Priority',
    help: 'higher runs first; default 0',
    read: ({ priority }) => (priority === 0 ? '' : String(priority)),
    write: (text) => (text === '' ? { priority: 0 } : ofWhole(text, (priority) => ({ priority }))),
  },
  limitField('maxAttempts', 'Max attempts', 'default: from type settings', (maxAttempts) => ({ maxAttempts })),
  durationLimit('timeoutMs', 'Timeout', 'per attempt: 30s, 10m; default: from type settings', (timeoutMs) => ({
    timeoutMs,
  })),
  durationLimit('expiresInMs', 'Jobs expire after', 'cancelled if not started by then; empty: never', (value) => ({
    expiresInMs: value,
  })),
]

export const OFFSET_FIELD: FormField = {
  key: 'offset',
  label: 'Offset',
  help: 'shifts the ticks of the interval',
  placeholder: '5m',
  read: ({ offset }) => span(offset, 0),
  write: (text) => (text === '' ? { offset: 0 } : ofDuration(text, (offset) => ({ offset }))),
}

function limitField(
  key: 'maxAttempts' | 'maxRuns' | 'pauseAfterFailures',
  label: string,
  help: string,
  set: (value: number | null) => Change,
): FormField {
  return {
    ...{ key, label, help },
    read: (effective) => String(effective[key] ?? ''),
    write: (text) => (text === '' ? set(null) : ofWhole(text, set)),
  }
}

function durationLimit(
  key: 'expiresInMs' | 'timeoutMs',
  label: string,
  help: string,
  set: (value: number | null) => Change,
): FormField {
  return {
    ...{ key, label, help },
    read: (effective) => span(effective[key], null),
    write: (text) => (text === '' ? set(null) : ofDuration(text, set)),
  }
}

function instantField(
  key: 'endsAt' | 'startsAt',
  label: string,
  help: string,
  set: (value: number | null) => Change,
): FormField {
  return {
    ...{ key, label, help, type: 'datetime-local' },
    read: (effective) => {
      const at = effective[key]
      return at === null ? '' : toLocalInput(at)
    },
    write: (text) => {
      if (text === '') return set(null)
      const at = Date.parse(text)
      return Number.isNaN(at) ? 'It must be a date and a time.' : set(at)
    },
  }
}

function span(ms: number | null, empty: number | null): string {
  return ms === null || ms === empty ? '' : formatDuration(ms, '')
}

function ofWhole(text: string, set: (value: number) => Change): Change | string {
  return /^-?\d+$/.test(text) ? set(Number(text)) : 'It must be a whole number.'
}

export function ofDuration(text: string, set: (ms: number) => Change): Change | string {
  const ms = parseDuration(text)
  return ms === null ? `It ${DURATION_RULE}.` : set(ms)
}

const PERCENT = /^(\d{1,2}(?:\.\d+)?|100)\s*%$/

function readSpread(text: string): Change | string {
  if (text === '') return { spread: 0 }
  if (PERCENT.test(text)) return { spread: text.replace(/\s/g, '') }
  const ms = parseDuration(text)
  return ms === null ? `It ${DURATION_RULE}, or be a percentage such as 50%.` : { spread: ms }
}

function readExceptions(text: string): Change | string {
  const except: (number | string)[] = []
  for (const part of text.split(/[\s,]+/).filter((one) => one !== '')) {
    if (isLocalDate(part)) except.push(part)
    else {
      const at = part.includes('T') ? Date.parse(part) : Number.NaN
      if (Number.isNaN(at)) return `${part} is not a date such as 2026-12-25, nor an instant such as 2026-12-25T08:00Z.`
      except.push(at)
    }
  }
  return { except }
}
