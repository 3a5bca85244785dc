/** Draft of a schedule: pure functions from form texts to settings, and to the change of a stored schedule. */
import { formatDuration } from '../../../../shared/duration.ts'
import { REDACTED, redact, unredact } from '../../../../shared/redaction/redaction.ts'
import { cronProblem, timezoneProblem } from '../../../../shared/schedules/cron.ts'
import { scheduleLimits } from '../../../../shared/schedules/limits.ts'
import type { CatchUp, EffectiveSchedule, Overlap, ScheduleRow } from '../../../../shared/schedules/schedule.ts'
import { effectiveSchedule } from '../../../../shared/schedules/settings.ts'
import type { JobKind } from '../../../../shared/status.ts'
import { hasUnresolvedMask } from '../../../lib/unresolved-mask.ts'
import { findJsonError, type JsonError } from '../../../ui/json/json-error.ts'
import {
  BOUND_FIELDS,
  type Change,
  JOB_FIELDS,
  LATE_FIELDS,
  OFFSET_FIELD,
  ofDuration,
  type SettingName,
} from './form-fields.ts'

const TEXT_FIELDS = [OFFSET_FIELD, ...BOUND_FIELDS, ...LATE_FIELDS, ...JOB_FIELDS]

export interface Draft {
  readonly name: string
  readonly type: string
  readonly payload: string
  readonly rule: 'cron' | 'every'
  readonly cron: string
  readonly every: string
  readonly timezone: string
  readonly overlap: Overlap
  readonly catchUp: CatchUp
  /** Texts of the other fields, by setting. */
  readonly texts: Readonly<Record<string, string>>
}

export type Problems = Readonly<Record<string, string>>

/** What the draft starts from: nothing, or a stored schedule. */
export interface Base {
  readonly effective: EffectiveSchedule
  /** Payload as shown, with masked values. */
  readonly shownPayload: unknown
}

export function baseOf(effective: EffectiveSchedule, rules: readonly string[]): Base {
  return { effective, shownPayload: redact(effective.payload, 'payload', rules) }
}

export function newBase(timezone: string): Base {
  return baseOf(effectiveSchedule(null, { payload: {}, cron: '0 3 * * *', timezone }), [])
}

export function draftOf(name: string, { effective, shownPayload }: Base): Draft {
  const { type, cron, every, timezone, overlap, catchUp } = effective
  return {
    ...{ name, type, timezone, overlap, catchUp },
    payload: JSON.stringify(shownPayload ?? null, null, 2),
    rule: every === null ? 'cron' : 'every',
    cron: cron ?? '',
    every: every === null ? '' : formatDuration(every, ''),
    texts: Object.fromEntries(TEXT_FIELDS.map((field) => [field.key, field.read(effective)])),
  }
}

export interface FormSettings extends Change {
  readonly type: string
  readonly payload: unknown
}

export interface Read {
  readonly settings: FormSettings
  /** By setting; `name` too. */
  readonly problems: Problems
  readonly jsonError: JsonError | null
  /** The rule alone is valid, so that it can be previewed. */
  readonly hasRule: boolean
}

const RULE_KEYS: readonly string[] = ['cron', 'every', 'timezone', 'offset', 'spread', 'startsAt', 'endsAt', 'except']

export function readDraft(draft: Draft, base: Base, kind: JobKind): Read {
  const problems: Record<string, string> = {}
  if (draft.name.trim() === '') problems.name = 'Enter a name.'
  if (draft.type.trim() === '') problems.type = 'Enter a job type.'
  let texts: Change = {}
  for (const { key, write } of TEXT_FIELDS) {
    if (key === 'offset' && draft.rule === 'cron') continue
    const change = write((draft.texts[key] ?? '').trim())
    if (typeof change === 'string') problems[key] = change
    else texts = { ...texts, ...change }
  }
  const zone = timezoneProblem(draft.timezone.trim())
  if (zone !== null) problems.timezone = zone
  const rule = readRule(draft)
  if (typeof rule === 'string') problems[draft.rule] = rule
  const jsonError = findJsonError(draft.payload)
  const payload = jsonError ? null : readPayload(draft.payload, base)
  if (payload?.hasMask) problems.payload = `contains a moved or added ${REDACTED}: replace it with the actual value`
  const settings: FormSettings = {
    ...texts,
    ...(typeof rule === 'string' ? {} : rule),
    type: draft.type.trim(),
    payload: payload?.value ?? null,
    ...(kind !== 'job' && { kind }),
    timezone: draft.timezone.trim(),
    overlap: draft.overlap,
    catchUp: draft.catchUp,
  }
  return { settings, problems, jsonError, hasRule: !RULE_KEYS.some((key) => problems[key] !== undefined) }
}

function readRule({ rule, cron, every }: Draft): Change | string {
  if (rule === 'cron') {
    const text = cron.trim().replace(/\s+/g, ' ')
    if (text === '') return 'Enter a cron expression, for example 0 3 * * * for every day at 03:00.'
    const problem = cronProblem(text)
    return problem === null ? { cron: text } : `${problem}.`
  }
  const change = ofDuration(every.trim(), (ms) => ({ every: ms }))
  if (typeof change === 'string') return change
  const ms = change.every ?? 0
  if (ms < scheduleLimits.everyMs.min) return 'It must be at least 1s.'
  return ms > scheduleLimits.everyMs.max ? `It must be at most ${formatDuration(scheduleLimits.everyMs.max)}.` : change
}

function readPayload(text: string, { effective, shownPayload }: Base) {
  const value: unknown = JSON.parse(text)
  if (shownPayload === effective.payload) return { value, hasMask: false }
  const sent = unredact(value, shownPayload, effective.payload)
  return { value: sent, hasMask: hasUnresolvedMask(sent, effective.payload) }
}

export interface ScheduleChange {
  readonly set: Change
  readonly clear: readonly SettingName[]
}

/** Only what differs from the stored schedule. A value that equals the declared one removes the override. */
export function changeOf({ declared, override, effective }: ScheduleRow, settings: FormSettings): ScheduleChange {
  const wanted = effectiveSchedule(null, settings)
  const below = declared && effectiveSchedule(declared, {})
  const changed = KEYS.filter((key) => settings[key] !== undefined && !isSame(wanted[key], effective[key]))
  const cleared = changed.filter(
    (key) => below !== null && override[key] !== undefined && isSame(wanted[key], below[key]),
  )
  const replaced =
    below !== null && isSame([wanted.cron, wanted.every], [below.cron, below.every])
      ? RULES.filter((key) => override[key] !== undefined)
      : []
  const clear = [...new Set([...cleared, ...replaced])]
  const isSet = (key: SettingName) =>
    changed.some((one) => one === key) &&
    !clear.includes(key) &&
    !(replaced.length > 0 && RULES.some((one) => one === key))
  return { set: Object.fromEntries(Object.entries(settings).filter(([key]) => isSettingOf(key) && isSet(key))), clear }
}

const RULES = ['cron', 'every'] as const

const KEYS = [
  ...(['type', 'payload', 'kind', 'cron', 'every', 'offset', 'timezone', 'catchUp', 'catchUpWindowMs'] as const),
  ...(['overlap', 'spread', 'startsAt', 'endsAt', 'maxRuns', 'except', 'pauseAfterFailures', 'priority'] as const),
  ...(['maxAttempts', 'timeoutMs', 'expiresInMs'] as const),
]

function isSettingOf(key: string): key is (typeof KEYS)[number] {
  return KEYS.some((one) => one === key)
}

const isSame = (one: unknown, other: unknown) => JSON.stringify(one ?? null) === JSON.stringify(other ?? null)
