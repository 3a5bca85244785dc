/** Parser for points in time on the command line. */
import { SECOND } from '../../../shared/limits.ts'

const ISO = /^\d{4}-\d{2}-\d{2}(?:[T ]\d{2}:\d{2}(?::\d{2}(?:\.\d{1,9})?)?(?:Z|[+-]\d{2}:?\d{2})?)?$/
/** Smaller numbers are seconds (until the year 5138), larger ones milliseconds (since 1973). */
const MIN_MILLISECONDS = 100_000_000_000

/** ISO 8601 (local time without a zone), or seconds or milliseconds since 1970. Returns null for other text. */
export function parseInstant(text: string): number | null {
  const trimmed = text.trim()
  if (/^\d+(?:\.\d+)?$/.test(trimmed)) return instantOf(Number(trimmed))
  if (!ISO.test(trimmed)) return null
  // Date.parse reads a date without a time as UTC; make it local midnight.
  const at = Date.parse(/^\d{4}-\d{2}-\d{2}$/.test(trimmed) ? `${trimmed}T00:00` : trimmed.replace(' ', 'T'))
  return Number.isNaN(at) ? null : at
}

export function instantOf(number: number): number {
  return Math.round(number < MIN_MILLISECONDS ? number * SECOND : number)
}
