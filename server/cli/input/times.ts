/** Instants and durations as people write and read them. */
import { DAY, HOUR, MINUTE, SECOND } from '../../../shared/limits.ts'

const UNITS: Readonly<Record<string, number>> = {
  ms: 1,
  s: SECOND,
  sec: SECOND,
  m: MINUTE,
  min: MINUTE,
  h: HOUR,
  d: DAY,
  w: 7 * DAY,
}

/** `10m`, `1h30m`, `1.5 h`, `500ms`; a bare number is seconds. null when it is none of these. */
export function parseDuration(text: string): number | null {
  const trimmed = text.trim()
  if (/^\d+(?:\.\d+)?$/.test(trimmed)) return Math.round(Number(trimmed) * SECOND)
  if (!/^(?:\d+(?:\.\d+)?\s*[a-z]+\s*)+$/.test(trimmed)) return null
  let total = 0
  for (const [, amount, unit = ''] of trimmed.matchAll(/(\d+(?:\.\d+)?)\s*([a-z]+)/g)) {
    const unitMs = UNITS[unit]
    if (unitMs === undefined) return null
    total += Number(amount) * unitMs
  }
  return Math.round(total)
}

const ISO = /^\d{4}-\d{2}-\d{2}(?:[T ]\d{2}:\d{2}(?::\d{2}(?:\.\d{1,9})?)?(?:Z|[+-]\d{2}:?\d{2})?)?$/
/** Seconds reach this in the year 5138, milliseconds reached it in 1973: a number tells by itself which it is. */
const MIN_MILLISECONDS = 100_000_000_000

/** ISO 8601, local time where it names no zone, or seconds or milliseconds since 1970. null when it is neither. */
export function parseInstant(text: string): number | null {
  const trimmed = text.trim()
  if (/^\d+(?:\.\d+)?$/.test(trimmed)) return instantOf(Number(trimmed))
  if (!ISO.test(trimmed)) return null
  // A date alone would be midnight in Greenwich.
  const at = Date.parse(/^\d{4}-\d{2}-\d{2}$/.test(trimmed) ? `${trimmed}T00:00` : trimmed.replace(' ', 'T'))
  return Number.isNaN(at) ? null : at
}

export function instantOf(number: number): number {
  return Math.round(number < MIN_MILLISECONDS ? number * SECOND : number)
}

/** In the largest unit that says enough: 480 ms, 12 s, 3 min, 5 h, 2 d. */
export function inWords(ms: number): string {
  const all = Math.max(0, ms)
  if (all < SECOND) return `${Math.round(all)} ms`
  if (all < 10 * SECOND) return `${(Math.round(all / 100) / 10).toString()} s`
  if (all < 2 * MINUTE) return `${Math.round(all / SECOND)} s`
  if (all < 2 * HOUR) return `${Math.round(all / MINUTE)} min`
  if (all < 2 * DAY) return `${Math.round(all / HOUR)} h`
  return `${Math.round(all / DAY)} d`
}

/** `3 min ago`, or `in 3 min`. */
export function age(at: number, now: number): string {
  const ms = Math.abs(now - at)
  if (ms < SECOND) return 'now'
  const words = inWords(ms < 10 * SECOND ? Math.round(ms / SECOND) * SECOND : ms)
  return at > now ? `in ${words}` : `${words} ago`
}

/** Local time with its zone: 2025-11-16T13:04:05+01:00. */
export function localIso(at: number): string {
  const date = new Date(at)
  const offset = -date.getTimezoneOffset()
  const zone = `${offset < 0 ? '-' : '+'}${two(Math.trunc(Math.abs(offset) / 60))}:${two(Math.abs(offset) % 60)}`
  return `${date.getFullYear()}-${two(date.getMonth() + 1)}-${two(date.getDate())}T${localTime(at)}${zone}`
}

export function localTime(at: number): string {
  const date = new Date(at)
  return `${two(date.getHours())}:${two(date.getMinutes())}:${two(date.getSeconds())}`
}

/** Both: when, and how long ago. */
export function dated(at: number, now: number): string {
  return `${localIso(at)} (${age(at, now)})`
}

function two(number: number): string {
  return String(number).padStart(2, '0')
}
