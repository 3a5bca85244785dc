/** The condition that a payload path has a value; 1, "1" and true are different values. */
import { jsonPathsOf } from '../../list/job-filter.ts'
import type { Fragment } from './list-filter.ts'

type Scalar = string | number | boolean | null

export function payloadEquals(path: string, equals: Scalar): Fragment {
  const conditions = jsonPathsOf(path).map((jsonPath) => pathEquals(jsonPath, equals))
  return {
    sql: `(${conditions.map(({ sql }) => sql).join(' OR ')})`,
    params: conditions.flatMap(({ params }) => params),
  }
}

function pathEquals(path: string, equals: Scalar): Fragment {
  if (equals === null || typeof equals === 'boolean') {
    return { sql: 'json_type(b.payload, ?) = ?', params: [path, String(equals)] }
  }
  // json_extract returns objects as text too, and SQLite considers 1 and true equal.
  const types = typeof equals === 'string' ? "('text')" : "('integer', 'real')"
  return {
    sql: `(json_type(b.payload, ?) IN ${types} AND json_extract(b.payload, ?) = ?)`,
    params: [path, path, equals],
  }
}
