/** Chooses the stored form of a payload: parsed if it parses to the same value again. */
import { QueueError } from '../../../shared/errors.ts'
import { parsePart, type Schema } from './standard-schema.ts'

/** A payload in the form to store, and the value that its schema returned. */
export interface PreparedPayload {
  readonly stored: unknown
  readonly parsed: unknown
}

type Parsed = { readonly isValid: true; readonly value: unknown } | { readonly isValid: false; readonly error: unknown }
/** `input`: the value that was parsed, copied at the call. */
type Step = Parsed & { readonly input: unknown }

/**
 * The worker parses the stored payload again, so it must be a valid input with the same output. The parsed value is stored
 * unless a transform changes it. Then the input is stored, with defaults added and unknown keys removed if that parses to the
 * same value. Returns a promise only for schemas with asynchronous checks.
 */
export function storedPayload(
  schema: Schema,
  payload: unknown,
  what: string,
): PreparedPayload | Promise<PreparedPayload> {
  const steps = chooseStored(payload)
  const run = (step: IteratorResult<unknown, PreparedPayload>): PreparedPayload | Promise<PreparedPayload> => {
    for (let current = step; ; ) {
      if (current.done) return current.value
      const parsed = parse(schema, current.value, what)
      if (parsed instanceof Promise) {
        const input = copyOf(current.value) ?? current.value
        return parsed.then((one) => run(steps.next({ ...one, input })))
      }
      current = steps.next({ ...parsed, input: current.value })
    }
  }
  return run(steps.next())
}

/** Parses a stored payload for the handler. An omitted optional payload is stored as null. */
export async function loadedPayload(schema: Schema, stored: unknown, what: string): Promise<unknown> {
  const parsed = await parse(schema, stored, what)
  if (parsed.isValid) return parsed.value
  const omitted = stored === null ? await parse(schema, undefined, what) : parsed
  if (omitted.isValid) return omitted.value
  throw parsed.error
}

/** Yields candidates to parse. An omitted optional payload is stored as null. */
function* chooseStored(given: unknown): Generator<unknown, PreparedPayload, Step> {
  const first: Step = yield given
  if (!first.isValid) throw first.error
  const { value, input } = first
  const prepared = (stored: unknown): PreparedPayload => ({ stored: stored ?? null, parsed: value })
  if (isSame(input, value)) return prepared(input)
  const payload = copyOf(input) ?? input
  for (const candidate of [copyOf(value), withDefaults(payload, value, false), withDefaults(payload, value, true)]) {
    if (candidate === undefined) continue
    const again: Step = yield candidate
    if (again.isValid && isSame(again.value, value)) return prepared(candidate)
  }
  return prepared(payload)
}

function parse(schema: Schema, value: unknown, what: string): Parsed | Promise<Parsed> {
  const invalid = (error: unknown): Parsed => ({ isValid: false, error })
  const valid = (one: unknown): Parsed => ({ isValid: true, value: one })
  try {
    const parsed = parsePart(schema, value, what)
    return parsed instanceof Promise ? parsed.then(valid, invalid) : valid(parsed)
  } catch (error) {
    return invalid(error)
  }
}

/** A JSON copy, as the worker will read it; undefined: not JSON, which the queue rejects with the reason. */
function copyOf(value: unknown): unknown {
  try {
    return JSON.parse(JSON.stringify(value))
  } catch {
    return undefined
  }
}

/** The input plus the properties that parsing added, with or without those that it removed. */
function withDefaults(input: unknown, parsed: unknown, keepUnknown: boolean): unknown {
  if (Array.isArray(input) && Array.isArray(parsed) && input.length === parsed.length) {
    return input.map((one, index) => withDefaults(one, parsed[index], keepUnknown))
  }
  if (!isRecord(input) || !isRecord(parsed)) return input
  const known = Object.entries(input).filter(([key]) => keepUnknown || Object.hasOwn(parsed, key))
  const added = Object.entries(parsed).filter(([key]) => !Object.hasOwn(input, key))
  return Object.fromEntries([
    ...known.map(([key, one]) => [key, Object.hasOwn(parsed, key) ? withDefaults(one, parsed[key], keepUnknown) : one]),
    ...added.map(([key, one]) => [key, copyOf(one)]),
  ])
}

/** Deep equality of JSON values and dates; an undefined property equals a missing one. */
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

/** For transactions on SQLite, which cannot await a validation. */
export function storedPayloadSync(schema: Schema, payload: unknown, what: string): PreparedPayload {
  const stored = storedPayload(schema, payload, what)
  if (!(stored instanceof Promise)) return stored
  // Avoids an unhandled rejection.
  stored.catch(() => {})
  throw new QueueError(
    'BAD_INPUT',
    `The schema of ${what} has asynchronous checks, which a transaction cannot await; validate it before the transaction.`,
  )
}
