/** Settings as a form has them: text per field, read back into what to set and what to clear. */
import { formatNumber } from '../../../lib/format-number.ts'
import { durationText, parseDuration } from './duration-text.ts'

interface FieldBase<Settings> {
  readonly key: keyof Settings & string
  readonly label: string
  readonly kind: 'number' | 'duration'
  /** After a number: `per second`. */
  readonly unit?: string
  readonly help?: string
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

export type Field<Settings> = LimitField<Settings> | ValueField<Settings>

/** Text by field; '' is "not set here". */
export type Draft = Readonly<Record<string, string>>
export type Problems = Readonly<Record<string, string>>

/** How "no limit, whatever the code says" is written. */
export const NO_LIMIT = 'no limit'

export interface Reading<Settings> {
  readonly set: Settings
  readonly clear: readonly (keyof Settings & string)[]
  readonly problems: Problems
}

export function textOf<Settings>(field: Field<Settings>, settings: Settings): string {
  const value = field.read(settings)
  if (value === undefined) return ''
  if (value === null) return NO_LIMIT
  return field.kind === 'duration' ? durationText(value) : String(value)
}

/** As it is shown beside a field. */
export function shownOf<Settings>(
  { kind, unit }: Pick<Field<Settings>, 'kind' | 'unit'>,
  value: number | null,
): string {
  if (value === null) return NO_LIMIT
  return kind === 'duration' ? durationText(value) : [formatNumber(value), unit].filter(Boolean).join(' ')
}

/** Only what differs from `before`: what somebody else changed meanwhile is not put back. */
export function readFields<Settings extends object>(
  fields: readonly Field<Settings>[],
  edits: Draft,
  before: Settings,
  nothing: Settings,
): Reading<Settings> {
  let set = nothing
  const clear: (keyof Settings & string)[] = []
  const problems: Record<string, string> = {}
  for (const field of fields) {
    const text = edits[field.key]?.trim()
    if (text === undefined || text === textOf(field, before)) continue
    if (text === '') clear.push(field.key)
    else if (field.isNullable && text.toLowerCase() === NO_LIMIT) set = { ...set, ...field.write(null) }
    else {
      const value = field.kind === 'duration' ? parseDuration(text) : readNumber(text)
      if (value === null) problems[field.key] = WRONG[field.kind]
      else if (value !== field.read(before)) set = { ...set, ...field.write(value) }
    }
  }
  return { set, clear, problems }
}

const WRONG = { number: 'This is not a number.', duration: 'Say it with a unit: 30s, 5m, 1h 30m, 7d.' } as const

function readNumber(text: string): number | null {
  const value = Number(text.replaceAll(',', ''))
  return Number.isFinite(value) ? value : null
}
