/** Parsers for values of PostgreSQL types in responses. */
import { types } from 'pg'

/** 64-bit integers are instants, durations and counts: read as numbers, as in SQLite. */
export function typeParser(id: number, format?: 'text' | 'binary') {
  return id === types.builtins.INT8 && format !== 'binary' ? parseLong : types.getTypeParser(id, format)
}

function parseLong(text: string): number {
  const value = Number(text)
  if (!Number.isSafeInteger(value)) throw new RangeError(`${text} is too large for a number`)
  return value
}
