/** The condition that a place inside the payload holds a value, without confusing 1, "1" and true. */
import type { Fragment } from './list-filter.ts'

type Scalar = string | number | boolean | null

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
