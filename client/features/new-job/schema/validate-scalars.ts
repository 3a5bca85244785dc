/** Validates strings and numbers. */
import { numberOf, type Schema, textOf } from './schema.ts'

const FORMATS: Readonly<Record<string, { readonly pattern: RegExp; readonly message: string }>> = {
  email: { pattern: /^[^\s@]+@[^\s@]+\.[^\s@]+$/, message: 'must be an email address, e.g. ada@example.com' },
  'date-time': {
    pattern: /^\d{4}-\d\d-\d\d[Tt]\d\d:\d\d:\d\d(?:\.\d+)?(?:[Zz]|[+-]\d\d:\d\d)$/,
    message: 'must be a date and time with time zone, e.g. 2030-01-31T08:00:00Z',
  },
  date: { pattern: /^\d{4}-\d\d-\d\d$/, message: 'must be a date, e.g. 2030-01-31' },
  uri: { pattern: /^[A-Za-z][A-Za-z0-9+.-]*:\S+$/, message: 'must be a URL, e.g. https://example.com' },
  uuid: { pattern: /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i, message: 'must be a UUID' },
}

export function validateString(text: string, schema: Schema): readonly string[] {
  const messages: string[] = []
  const length = [...text].length
  const [least, most] = [numberOf(schema.minLength), numberOf(schema.maxLength)]
  if (least !== undefined && length < least) {
    messages.push(length === 0 ? 'must not be empty' : `must have at least ${least} characters`)
  }
  if (most !== undefined && length > most) messages.push(`must have at most ${most} characters`)
  const format = FORMATS[textOf(schema.format) ?? '']
  if (format) {
    if (!format.pattern.test(text)) messages.push(format.message)
  } else if (typeof schema.pattern === 'string' && !matches(text, schema.pattern)) {
    messages.push(`must match ${schema.pattern}`)
  }
  return messages
}

export function exampleOf(schema: Schema): string | undefined {
  return FORMATS[textOf(schema.format) ?? '']?.message.split(', e.g. ')[1]
}

export function validateNumber(number: number, schema: Schema): readonly string[] {
  const messages: string[] = []
  const bounds = [
    [numberOf(schema.minimum), (bound: number) => number >= bound, 'must be at least'],
    [numberOf(schema.maximum), (bound: number) => number <= bound, 'must be at most'],
    [numberOf(schema.exclusiveMinimum), (bound: number) => number > bound, 'must be more than'],
    [numberOf(schema.exclusiveMaximum), (bound: number) => number < bound, 'must be less than'],
  ] as const
  for (const [bound, isWithin, message] of bounds) {
    if (bound !== undefined && !isWithin(bound)) messages.push(`${message} ${bound}`)
  }
  const step = numberOf(schema.multipleOf)
  if (step !== undefined && step > 0 && Math.abs(number / step - Math.round(number / step)) > 1e-9) {
    messages.push(`must be a multiple of ${step}`)
  }
  return messages
}

/** True for patterns that this browser cannot compile. */
function matches(text: string, pattern: string): boolean {
  try {
    return new RegExp(pattern, 'u').test(text)
  } catch {
    return true
  }
}
