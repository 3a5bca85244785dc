/** The condition that a place inside the payload holds a value, without confusing 1, "1" and true. */
import { readingsOf } from '../../list/job-filter.ts'
import type { Fragment } from './list-filter.ts'

type Scalar = string | number | boolean | null

export function payloadEquals(path: string, equals: Scalar): Fragment {
  const readings = readingsOf(path).map((reading) => placeEquals(reading, equals))
  return {
    sql: `(${readings.map((reading) => reading.sql).join(' or ')})`,
    params: readings.flatMap((reading) => reading.params),
  }
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
