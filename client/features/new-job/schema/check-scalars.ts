/** What may be wrong with a text or a number. */
import { numberOf, type Schema, textOf } from './schema.ts'

const FORMATS: Readonly<Record<string, { readonly pattern: RegExp; readonly say: string }>> = {
  email: { pattern: /^[^\s@]+@[^\s@]+\.[^\s@]+$/, say: 'must be an e-mail address, as ada@example.com' },
  'date-time': {
    pattern: /^\d{4}-\d\d-\d\d[Tt]\d\d:\d\d:\d\d(?:\.\d+)?(?:[Zz]|[+-]\d\d:\d\d)$/,
    say: 'must be a date and time with its zone, as 2030-01-31T08:00:00Z',
  },
  date: { pattern: /^\d{4}-\d\d-\d\d$/, say: 'must be a date, as 2030-01-31' },
  uri: { pattern: /^[A-Za-z][A-Za-z0-9+.-]*:\S+$/, say: 'must be an address, as https://example.com' },
  uuid: { pattern: /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i, say: 'must be a UUID' },
}

export function checkText(text: string, schema: Schema): readonly string[] {
  const messages: string[] = []
  const length = [...text].length
  const [least, most] = [numberOf(schema.minLength), numberOf(schema.maxLength)]
  if (least !== undefined && length < least) {
    messages.push(length === 0 ? 'must not be empty' : `must have at least ${least} characters`)
  }
  if (most !== undefined && length > most) messages.push(`must not have more than ${most} characters`)
  const format = FORMATS[textOf(schema.format) ?? '']
  if (format) {
    if (!format.pattern.test(text)) messages.push(format.say)
  } else if (typeof schema.pattern === 'string' && !matches(text, schema.pattern)) {
    messages.push(`must match ${schema.pattern}`)
  }
  return messages
}

export function hintOf(schema: Schema): string | undefined {
  return FORMATS[textOf(schema.format) ?? '']?.say.split(', as ')[1]
}

export function checkNumber(number: number, schema: Schema): readonly string[] {
  const messages: string[] = []
  const bounds = [
    [numberOf(schema.minimum), (bound: number) => number >= bound, 'must be at least'],
    [numberOf(schema.maximum), (bound: number) => number <= bound, 'must be at most'],
    [numberOf(schema.exclusiveMinimum), (bound: number) => number > bound, 'must be more than'],
    [numberOf(schema.exclusiveMaximum), (bound: number) => number < bound, 'must be less than'],
  ] as const
  for (const [bound, isWithin, say] of bounds) {
    if (bound !== undefined && !isWithin(bound)) messages.push(`${say} ${bound}`)
  }
  const step = numberOf(schema.multipleOf)
  if (step !== undefined && step > 0 && Math.abs(number / step - Math.round(number / step)) > 1e-9) {
    messages.push(`must be a multiple of ${step}`)
  }
  return messages
}

/** A pattern that this browser cannot read forbids nothing. */
function matches(text: string, pattern: string): boolean {
  try {
    return new RegExp(pattern, 'u').test(text)
  } catch {
    return true
  }
}
