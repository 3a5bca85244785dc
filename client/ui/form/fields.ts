/** Settings as form fields: one text per field, parsed into values to set and keys to clear. */
import { DURATION_RULE, formatDuration, parseDuration } from '../../../shared/duration.ts'
import { formatNumber } from '../../lib/format-number.ts'

interface Labelled<Settings> {
  readonly key: keyof Settings & string
  readonly label: string
  readonly help?: string
}

interface FieldBase<Settings> extends Labelled<Settings> {
  readonly kind: 'number' | 'duration'
  /** Shown after a number: `per second`. */
  readonly unit?: string
}

export interface LimitField<Settings> extends FieldBase<Settings> {
  readonly isNullable: true
  readonly read: (settings: Settings) => number | null | undefined
  readonly write: (value: number | null) => Settings
}

export interface ValueField<Settings> extends FieldBase<Settings> {
  readonly isNullable: false
  readonly read: (settings: Settings) => number | undefined
  readonly write: (value: number) => Settings
}

/** A setting that is written as text, such as a rate, or chosen from a few values. */
export interface WrittenField<Settings> extends Labelled<Settings> {
  readonly kind: 'text'
  readonly unit?: undefined
  readonly isNullable: boolean
  readonly read: (settings: Settings) => string | null | undefined
  /** null as a result: the text is not valid. */
  readonly write: (text: string | null) => Settings | null
  /** Shown for a text that is not valid. */
  readonly rule: string
  /** The only valid texts, with their labels. */
  readonly choices?: readonly (readonly [text: string, label: string])[]
}

export type Field<Settings> = LimitField<Settings> | ValueField<Settings> | WrittenField<Settings>

/** Text by field; '' means not set. */
export type Draft = Readonly<Record<string, string>>
export type Problems = Readonly<Record<string, string>>

/** Text that overrides a declared limit with none. */
export const NO_LIMIT = 'no limit'

export interface ParsedFields<Settings> {
  readonly set: Settings
  readonly clear: readonly (keyof Settings & string)[]
  readonly problems: Problems
}

export function textOf<Settings>(field: Field<Settings>, settings: Settings): string {
  const value = field.read(settings)
  if (value === undefined) return ''
  if (value === null) return NO_LIMIT
  return field.kind === 'duration' && typeof value === 'number' ? formatDuration(value) : String(value)
}

/** Value with its unit, for hints. */
export function formatValue<Settings>(
  { kind, unit }: Pick<Field<Settings>, 'kind' | 'unit'>,
  value: number | string | null,
): string {
  if (value === null) return NO_LIMIT
  if (typeof value === 'string') return value
  return kind === 'duration' ? formatDuration(value) : [formatNumber(value), unit].filter(Boolean).join(' ')
}

/** Contains only differences from `before`, so that concurrent changes by others are kept. */
export function readFields<Settings extends object>(
  fields: readonly Field<Settings>[],
  edits: Draft,
  before: Settings,
  none: Settings,
): ParsedFields<Settings> {
  let set = none
  const clear: (keyof Settings & string)[] = []
  const problems: Record<string, string> = {}
  for (const field of fields) {
    const text = edits[field.key]?.trim()
    if (text === undefined || text === textOf(field, before)) continue
    if (text === '') clear.push(field.key)
    else if (field.kind === 'text') {
      const wanted = field.write(field.isNullable && text.toLowerCase() === NO_LIMIT ? null : text)
      if (wanted === null) problems[field.key] = field.rule
      else if (field.read(wanted) !== field.read(before)) set = { ...set, ...wanted }
    } else if (field.isNullable && text.toLowerCase() === NO_LIMIT) set = { ...set, ...field.write(null) }
    else {
      const value = field.kind === 'duration' ? parseDuration(text) : readNumber(text)
      if (value === null) problems[field.key] = PARSE_ERRORS[field.kind]
      else if (value !== field.read(before)) set = { ...set, ...field.write(value) }
    }
  }
  return { set, clear, problems }
}

const PARSE_ERRORS = { number: 'It must be a number.', duration: `It ${DURATION_RULE}.` } as const

function readNumber(text: string): number | null {
  const value = Number(text.replaceAll(',', ''))
  return Number.isFinite(value) ? value : null
}

/** Notices for edited fields whose stored value changed after editing began. */
export function conflictNotices(edited: readonly string[], before: Draft, now: Draft): Draft {
  const changed = edited.filter((key) => before[key] !== undefined && before[key] !== now[key])
  return Object.fromEntries(changed.map((key) => [key, conflictNotice(now[key] ?? '')]))
}

function conflictNotice(now: string): string {
  return `Someone else ${now === '' ? 'cleared this' : `changed this to ${now}`}. Saving will overwrite it.`
}
