/** Spans of time as people write them. */
import { DAY, HOUR, MINUTE, SECOND } from '../../../shared/limits.ts'

const UNITS = { ms: 1, s: SECOND, m: MINUTE, h: HOUR, d: DAY } as const

type Unit = keyof typeof UNITS

/** Milliseconds, or `'90s'`, `'15m'`, `'1h'`, `'2d'`. */
export type Duration = number | `${number}${Unit}`

const isUnit = (text: string): text is Unit => Object.hasOwn(UNITS, text)

export function durationMs(duration: Duration): number {
  const [, amount = '', unit = ''] = /^(\d+(?:\.\d+)?)([a-z]+)$/.exec(String(duration)) ?? []
  const ms = typeof duration === 'number' ? duration : isUnit(unit) ? Number(amount) * UNITS[unit] : Number.NaN
  if (Number.isFinite(ms) && ms >= 0) return Math.round(ms)
  throw new RangeError(`${duration} is not a duration; write milliseconds, or 90s, 15m, 1h, 2d.`)
}
