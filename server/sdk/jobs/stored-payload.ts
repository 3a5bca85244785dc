/** What of a payload is stored: the parsed input, so that its defaults are made once, where it parses to the same again. */
import { QueueError } from '../../../shared/errors.ts'
import { parsePart, type Schema } from './standard-schema.ts'

type Parsed = { readonly isValid: true; readonly value: unknown } | { readonly isValid: false; readonly error: unknown }
/** `input` is what was parsed, as it was at the call. */
type Step = Parsed & { readonly input: unknown }

/**
 * The worker parses what is stored once more, so it must be a valid input, and must give what it gives here. The parsed value
 * is one unless a transform changes it; then the input is stored, with defaults filled in and unknown keys left out where
 * that parses to the same. A promise only for schemas with asynchronous checks.
 */
export function storedPayload(schema: Schema, payload: unknown, what: string): unknown | Promise<unknown> {
  const steps = choose(payload)
  const drive = (step: IteratorResult<unknown, unknown>): unknown | Promise<unknown> => {
    for (let current = step; ; ) {
      if (current.done) return current.value ?? null
      const parsed = parse(schema, current.value, what)
      if (parsed instanceof Promise) {
        const input = copyOf(current.value) ?? current.value
        return parsed.then((one) => drive(steps.next({ ...one, input })))
      }
      current = steps.next({ ...parsed, input: current.value })
    }
  }
  return drive(steps.next())
}

/** What the handler gets of a stored payload. An optional payload that was left out is stored as null. */
export async function loadedPayload(schema: Schema, stored: unknown, what: string): Promise<unknown> {
  const parsed = await parse(schema, stored, what)
  if (parsed.isValid) return parsed.value
  const leftOut = stored === null ? await parse(schema, undefined, what) : parsed
  if (leftOut.isValid) return leftOut.value
  throw parsed.error
}

/** Yields what is to be parsed next, and returns what is to be stored. */
function* choose(given: unknown): Generator<unknown, unknown, Step> {
  const first: Step = yield given
  if (!first.isValid) throw first.error
  const { value, input } = first
  if (isSame(input, value)) return input
  const payload = copyOf(input) ?? input
  for (const candidate of [copyOf(value), filled(payload, value, false), filled(payload, value, true)]) {
    if (candidate === undefined) continue
    const again: Step = yield candidate
    if (again.isValid && isSame(again.value, value)) return candidate
  }
  return payload
}

function parse(schema: Schema, value: unknown, what: string): Parsed | Promise<Parsed> {
  const refused = (error: unknown): Parsed => ({ isValid: false, error })
  const accepted = (one: unknown): Parsed => ({ isValid: true, value: one })
  try {
    const parsed = parsePart(schema, value, what)
    return parsed instanceof Promise ? parsed.then(accepted, refused) : accepted(parsed)
  } catch (error) {
    return refused(error)
  }
}

/** As the worker will read it; undefined for what is no JSON, which the queue refuses with the reason. */
function copyOf(value: unknown): unknown {
  try {
    return JSON.parse(JSON.stringify(value))
  } catch {
    return undefined
  }
}

/** The input with what parsing added to it; keys that parsing dropped are kept or not. */
function filled(input: unknown, parsed: unknown, keepsUnknown: boolean): unknown {
  if (Array.isArray(input) && Array.isArray(parsed) && input.length === parsed.length) {
    return input.map((one, index) => filled(one, parsed[index], keepsUnknown))
  }
  if (!isRecord(input) || !isRecord(parsed)) return input
  const known = Object.entries(input).filter(([key]) => keepsUnknown || Object.hasOwn(parsed, key))
  const added = Object.entries(parsed).filter(([key]) => !Object.hasOwn(input, key))
  return Object.fromEntries([
    ...known.map(([key, one]) => [key, Object.hasOwn(parsed, key) ? filled(one, parsed[key], keepsUnknown) : one]),
    ...added.map(([key, one]) => [key, copyOf(one)]),
  ])
}

/** Of what JSON and simple transforms give: a key that is undefined is as good as missing. */
function isSame(one: unknown, other: unknown): boolean {
  if (Object.is(one, other)) return true
  if (one instanceof Date && other instanceof Date) return Object.is(one.getTime(), other.getTime())
  if (Array.isArray(one) && Array.isArray(other)) {
    return one.length === other.length && one.every((inner, index) => isSame(inner, other[index]))
  }
  if (!isRecord(one) || !isRecord(other)) return false
  return [...Object.keys(one), ...Object.keys(other)].every((key) => isSame(one[key], other[key]))
}

function isRecord(value: unknown): value is Readonly<Record<string, unknown>> {
  if (typeof value !== 'object' || value === null) return false
  const prototype: unknown = Object.getPrototypeOf(value)
  return prototype === Object.prototype || prototype === null
}

/** Inside a transaction nothing can be waited for but the transaction itself. */
export function storedPayloadNow(schema: Schema, payload: unknown, what: string): unknown {
  const stored = storedPayload(schema, payload, what)
  if (!(stored instanceof Promise)) return stored
  // Its refusal would be nobody's.
  stored.catch(() => {})
  throw new QueueError(
    'BAD_INPUT',
    `${what} has asynchronous checks, and a transaction cannot wait for them; check it before the transaction begins.`,
  )
}
