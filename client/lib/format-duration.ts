/** Duration formats: short for columns, finer for measurements. */
import { DAY, HOUR, MINUTE, SECOND } from '../../shared/limits.ts'

/** One unit, rounded down: 0s, 42s, 7m, 3h, 12d. Negative durations, from clock differences, give 0s. */
export function shortAge(ms: number): string {
  if (ms < MINUTE) return `${Math.max(0, Math.floor(ms / SECOND))}s`
  if (ms < HOUR) return `${Math.floor(ms / MINUTE)}m`
  if (ms < 2 * DAY) return `${Math.floor(ms / HOUR)}h`
  return `${Math.floor(ms / DAY)}d`
}

/** Remaining time, rounded up to the second: 9s, 4m 10s, 3h 59m, 12d 4h. */
export function countdown(ms: number): string {
  const left = Math.ceil(ms / SECOND) * SECOND
  if (left < MINUTE) return `${left / SECOND}s`
  if (left < HOUR) return twoUnits(left, MINUTE, 'm', SECOND, 's')
  if (left < DAY) return twoUnits(left, HOUR, 'h', MINUTE, 'm')
  return twoUnits(left, DAY, 'd', HOUR, 'h')
}

/** Measured duration: 0.4 ms, 38 ms, 1.2 s, 4 min 10 s, 3 h 5 min, 2 d 4 h. */
export function measured(ms: number): string {
  if (ms < 10) return `${Math.round(ms * 10) / 10} ms`
  if (ms < SECOND) return `${Math.round(ms)} ms`
  if (ms < 10 * SECOND) return `${(ms / SECOND).toFixed(1)} s`
  if (ms < MINUTE) return `${Math.floor(ms / SECOND)} s`
  if (ms < HOUR) return twoUnits(ms, MINUTE, ' min', SECOND, ' s')
  if (ms < DAY) return twoUnits(ms, HOUR, ' h', MINUTE, ' min')
  return twoUnits(ms, DAY, ' d', HOUR, ' h')
}

function twoUnits(ms: number, large: number, largeName: string, small: number, smallName: string): string {
  const rest = Math.floor((ms % large) / small)
  return `${Math.floor(ms / large)}${largeName}${rest > 0 ? ` ${rest}${smallName}` : ''}`
}
