/** Formats points in time and rounded durations for the terminal. */
import { DAY, HOUR, MINUTE, SECOND } from '../../../shared/limits.ts'

/** Rounded to one unit: 480 ms, 12 s, 3 min, 5 h, 2 d. `formatDuration` of shared/duration.ts is exact. */
export function roundedDuration(ms: number): string {
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
  const distance = roundedDuration(ms < 10 * SECOND ? Math.round(ms / SECOND) * SECOND : ms)
  return at > now ? `in ${distance}` : `${distance} ago`
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

/** `2025-11-16T13:04:05+01:00 (3 min ago)` */
export function timeWithAge(at: number, now: number): string {
  return `${localIso(at)} (${age(at, now)})`
}

function two(number: number): string {
  return String(number).padStart(2, '0')
}
