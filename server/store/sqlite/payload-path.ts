/** The condition that a place inside the payload holds a value, without confusing 1, "1" and true. */
import { QueueError } from '../../../shared/errors.ts'
import type { Fragment } from './list-filter.ts'

type Scalar = string | number | boolean | null

/** Each numeric part doubles the readings of a path, so there is an end to them. */
const MAX_NUMERIC_PARTS = 4
const ARRAY_INDEX = /^(?:0|[1-9]\d{0,8})$/

export function payloadEquals(path: string, equals: Scalar): Fragment {
  const readings = readingsOf(path).map((reading) => placeEquals(reading, equals))
  return {
    sql: `(${readings.map((reading) => reading.sql).join(' or ')})`,
    params: readings.flatMap((reading) => reading.params),
  }
}

/** `items.0` is the first item of an array, or the key "0" of an object; a document can only have one of them. */
function readingsOf(path: string): readonly string[] {
  const parts = path.split('.')
  if (parts.filter((part) => ARRAY_INDEX.test(part)).length > MAX_NUMERIC_PARTS) {
    throw new QueueError(
      'BAD_INPUT',
      `Payload path ${path} has more than ${MAX_NUMERIC_PARTS} numeric parts; compare a place less deep.`,
    )
  }
  return parts.reduce<readonly string[]>(
    (heads, part) => heads.flatMap((head) => stepsOf(part).map((step) => `${head}${step}`)),
    ['$'],
  )
}

function stepsOf(part: string): readonly string[] {
  const key = `.${JSON.stringify(part)}`
  return ARRAY_INDEX.test(part) ? [key, `[${part}]`] : [key]
}

function placeEquals(path: string, equals: Scalar): Fragment {
  if (equals === null || typeof equals === 'boolean') {
    return { sql: 'json_type(b.payload, ?) = ?', params: [path, String(equals)] }
  }
  // json_extract gives objects as text too, and SQLite would compare 1 with true.
  const types = typeof equals === 'string' ? "('text')" : "('integer', 'real')"
  return {
    sql: `(json_type(b.payload, ?) in ${types} and json_extract(b.payload, ?) = ?)`,
    params: [path, path, equals],
  }
}
