/** Encodes JSON and text for storage. NUL and lone surrogates are rejected, because PostgreSQL's jsonb cannot store them. */
import { FieldError, type QueueError } from '../errors.ts'
import { limits } from '../limits.ts'
import { findUnencodable } from './unencodable.ts'

// biome-ignore lint/suspicious/noControlCharactersInRegex: NUL is exactly what this looks for
const UNSTORABLE = /\u0000|[\ud800-\udbff](?![\udc00-\udfff])|(?<![\ud800-\udbff])[\udc00-\udfff]/
/** The same characters as JSON.stringify writes them; an even run of backslashes before it is literal text. */
const UNSTORABLE_ESCAPE = /(?<!\\)(?:\\\\)*\\u(?:0000|d[89a-f][0-9a-f]{2})/

export function isStorable(text: string): boolean {
  return !UNSTORABLE.test(text)
}

/** Replaces unstorable characters by U+FFFD. For text of workers, which must not be rejected. */
export function sanitise(text: string, maxLength: number): string {
  const clean = UNSTORABLE.test(text) ? text.replace(new RegExp(UNSTORABLE, 'g'), '\ufffd') : text
  if (clean.length <= maxLength) return clean
  const cut = clean.slice(0, maxLength - 1)
  return `${isStorable(cut) ? cut : cut.slice(0, -1)}…`
}

export function utf8Length(text: string): number {
  let bytes = text.length
  for (let i = 0; i < text.length; i++) {
    const code = text.charCodeAt(i)
    if (code > 0x7f) bytes += code > 0x7ff ? 2 : 1
    // A surrogate pair is two UTF-16 units and four bytes: the second unit adds no extra bytes.
    if (code >= 0xd800 && code <= 0xdbff) i += 1
  }
  return bytes
}

/** Encodes the JSON of a producer; throws if it cannot be stored or read back. */
export function encodePayload(value: unknown, maxBytes: number, name = 'payload'): string {
  const json = encode(value, name)
  if (json.includes('\\u') && UNSTORABLE_ESCAPE.test(json)) {
    throw new FieldError(
      'BAD_INPUT',
      name,
      'contains a NUL or a lone surrogate; remove it, no database could store it.',
    )
  }
  assertSize(json, maxBytes, name)
  return json
}

/** Encodes the result of a worker. Unstorable characters are replaced, so that a finished job can always be recorded. */
export function encodeResult(value: unknown, maxBytes: number): string | null {
  if (value === undefined) return null
  const json = encode(value, 'result')
  const unstorable = json.includes('\\u') && UNSTORABLE_ESCAPE.test(json)
  const clean = unstorable ? JSON.stringify(sanitiseDeep(JSON.parse(json))) : json
  assertSize(clean, maxBytes, 'result')
  return clean
}

function assertSize(json: string, maxBytes: number, name: string): void {
  if (json.length * 3 <= maxBytes) return
  const bytes = utf8Length(json)
  if (bytes > maxBytes) {
    throw new FieldError(
      'TOO_LARGE',
      name,
      `is ${bytes} bytes, more than ${maxBytes}; store it elsewhere and send a reference.`,
      { bytes, maxBytes },
    )
  }
}

function encode(value: unknown, name: string): string {
  try {
    if (depthExceeds(value, limits.jsonDepth)) {
      throw new RangeError(`it is nested deeper than ${limits.jsonDepth} levels; flatten it.`)
    }
    const json: string | undefined = JSON.stringify(value)
    if (json !== undefined) return json
  } catch (error) {
    throw notJson(error, value, name)
  }
  throw new FieldError('BAD_INPUT', name, `must be a JSON value, not ${typeof value}.`)
}

/** Encodes the input of a call immediately, so that later changes to it have no effect. The receiver checks depth and size. */
export function encodeInput(input: unknown): string | undefined {
  try {
    return JSON.stringify(input)
  } catch (error) {
    throw notJson(error, input, '')
  }
}

function notJson(error: unknown, value: unknown, name: string): QueueError {
  const found = findUnencodable(value, name)
  const message = found ? found.reason : `is not JSON: ${error instanceof Error ? error.message : String(error)}`
  const path = found?.path ?? name
  const issues = [{ path, message }]
  const problem = `${message}${/[.?!]$/.test(message) ? '' : '.'}`
  return new FieldError('BAD_INPUT', path || 'The input', problem, { issues })
}

function depthExceeds(value: unknown, budget: number): boolean {
  if (typeof value !== 'object' || value === null) return false
  if (budget === 0) return true
  for (const inner of Array.isArray(value) ? value : Object.values(value)) {
    if (depthExceeds(inner, budget - 1)) return true
  }
  return false
}

/** Input is parsed JSON: plain values only. */
function sanitiseDeep(value: unknown): unknown {
  if (typeof value === 'string') return sanitise(value, Number.POSITIVE_INFINITY)
  if (Array.isArray(value)) return value.map(sanitiseDeep)
  if (typeof value !== 'object' || value === null) return value
  return Object.fromEntries(
    Object.entries(value).map(([key, inner]) => [sanitise(key, Number.POSITIVE_INFINITY), sanitiseDeep(inner)]),
  )
}
