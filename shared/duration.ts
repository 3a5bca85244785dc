/** Durations as text: one parser and one exact formatter for the CLI, the dashboard and the SDK. */
import { DAY, HOUR, MINUTE, SECOND } from './limits.ts'

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

const PLAIN_NUMBER = /^\d+(?:\.\d+)?$/
const WHOLE = /^(?:\d+(?:\.\d+)?\s*(?:ms|sec|s|min|m|h|d|w)\s*)+$/
const PART = /(\d+(?:\.\d+)?)\s*([a-z]+)/g

/** The rule that every rejected duration is reported with: `Delay ${DURATION_RULE}.` */
export const DURATION_RULE = 'must look like 30s, 10m, 1h30m or 7d'

/** Milliseconds, or a number with one unit: `'250ms'`, `'90s'`, `'15m'`, `'1h'`, `'2d'`. */
export type Duration = number | `${number}${'ms' | 's' | 'm' | 'h' | 'd'}`

export interface ParseDurationOptions {
  /** The unit of a number without one. By default only `0` may stand without a unit. */
  readonly plainNumber?: 's' | 'ms'
}

/** Whole milliseconds of `250ms`, `90s`, `1h30m`, `1.5 h`, `7d`, `2w`. Returns null for any other text. */
export function parseDuration(text: string, { plainNumber }: ParseDurationOptions = {}): number | null {
  const plain = text.trim().toLowerCase()
  if (plain === '0') return 0
  if (PLAIN_NUMBER.test(plain)) return plainNumber ? wholeMs(Number(plain) * (UNITS[plainNumber] ?? 1)) : null
  if (!WHOLE.test(plain)) return null
  const parts = [...plain.matchAll(PART)]
  return wholeMs(parts.reduce((ms, [, amount, unit = '']) => ms + Number(amount) * (UNITS[unit] ?? 0), 0))
}

/** Milliseconds of a duration given in code. Throws a RangeError for negative numbers and for other text. */
export function durationMs(duration: Duration): number {
  const ms = typeof duration === 'string' ? parseDuration(duration) : wholeMs(duration)
  if (ms !== null && ms >= 0) return ms
  throw new RangeError(`${duration} is not a duration: it ${DURATION_RULE}, or be a number of milliseconds.`)
}

const FORMAT_UNITS = ['d', 'h', 'm', 's', 'ms'] as const

/** Exact to the millisecond: `parseDuration(formatDuration(ms))` is `ms`. An empty separator gives `1h30m`. */
export function formatDuration(ms: number, separator: ' ' | '' = ' '): string {
  const parts: string[] = []
  let rest = ms
  for (const unit of FORMAT_UNITS) {
    const size = UNITS[unit] ?? 1
    const count = Math.floor(rest / size)
    if (count > 0) parts.push(`${count}${unit}`)
    rest -= count * size
  }
  return parts.join(separator) || '0s'
}

function wholeMs(ms: number): number | null {
  return Number.isFinite(ms) ? Math.round(ms) : null
}
