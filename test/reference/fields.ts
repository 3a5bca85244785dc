/** One row of a table: the default and the bounds of an option, from its schema and its TSDoc. */
import { z } from 'zod'
import { DAY, HOUR, limits, MINUTE, SECOND } from '../../shared/limits.ts'

/** `; default 10.` and `. Default: 30 s.` are the forms of a default in TSDoc. */
const DEFAULT = /[;.,] default:? ((?:[^.;`(]|\.\d|`[^`]*`|\([^)]*\))+)(?=[.;]|$)/i

export function splitDefault(doc: string): { readonly text: string; readonly stated: string | null } {
  const [clause, stated] = DEFAULT.exec(doc) ?? []
  if (clause === undefined || stated === undefined) return { text: doc, stated: null }
  const text = doc.replace(clause, '')
  return { text: /[.!?]$/.test(text) ? text : `${text}.`, stated: stated.trim() }
}

const part = z.object({
  minimum: z.number().optional(),
  maximum: z.number().optional(),
  minLength: z.number().optional(),
  maxLength: z.number().optional(),
  minItems: z.number().optional(),
  maxItems: z.number().optional(),
  default: z.unknown().optional(),
  anyOf: z.array(z.unknown()).optional(),
})

export interface Bounds {
  readonly bounds: string
  /** The default of the schema; undefined: none. */
  readonly byDefault: unknown
}

/** Environment variables are parsed from text: `io` selects the side of the schema that has the bounds. */
export function boundsOf(name: string, schema: z.ZodType, io: 'input' | 'output' = 'input'): Bounds {
  const json = part.parse(z.toJSONSchema(schema, { io, unrepresentable: 'any' }))
  const parts = [json, ...(json.anyOf ?? []).map((one) => part.safeParse(one).data ?? {})]
  const bounds = parts.map((one) => boundsText(name, one)).find((text) => text !== '') ?? ''
  return { bounds, byDefault: json.default }
}

function boundsText(name: string, one: z.output<typeof part>): string {
  const isOwn = (bound: number | undefined) => bound !== undefined && Math.abs(bound) !== Number.MAX_SAFE_INTEGER
  const number = (value = 0) => (/ms$/i.test(name) ? duration(value) : value.toLocaleString('en'))
  if (one.maximum === limits.instant) return 'up to the year 9999'
  if (isOwn(one.minimum) && isOwn(one.maximum)) return `${number(one.minimum)} to ${number(one.maximum)}`
  if (isOwn(one.minimum)) return `at least ${number(one.minimum)}`
  if (isOwn(one.maximum)) return `at most ${number(one.maximum)}`
  if (one.maxLength !== undefined) return `${one.minLength ?? 0} to ${one.maxLength} characters`
  if (one.maxItems !== undefined) return `${one.minItems ?? 0} to ${one.maxItems.toLocaleString('en')}`
  return ''
}

const UNITS = [
  [DAY, 'day'],
  [HOUR, 'hour'],
  [MINUTE, 'minute'],
  [SECOND, 'second'],
] as const

export function duration(ms: number): string {
  const [size, unit] = UNITS.find(([one]) => ms > 0 && ms % one === 0) ?? [1, 'ms']
  const count = (ms / size).toLocaleString('en')
  if (unit === 'ms') return ms === 0 ? '0' : `${count} ms`
  return `${count} ${unit}${ms === size ? '' : 's'}`
}
