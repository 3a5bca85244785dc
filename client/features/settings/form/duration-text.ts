/** Durations as people type them: `90s`, `5m`, `1h 30m`, `7d`; and back, without losing a millisecond. */
import { DAY, HOUR, MINUTE, SECOND } from '../../../../shared/limits.ts'

const UNITS = [
  ['d', DAY],
  ['h', HOUR],
  ['m', MINUTE],
  ['s', SECOND],
  ['ms', 1],
] as const

const WHOLE = /^(?:\d+(?:\.\d+)?\s*(?:ms|d|h|m|s)\s*)+$/
const PART = /(\d+(?:\.\d+)?)\s*(ms|d|h|m|s)/g

/** null: it is not one. */
export function parseDuration(text: string): number | null {
  const plain = text.trim().toLowerCase()
  if (plain === '0') return 0
  if (!WHOLE.test(plain)) return null
  const unitOf = new Map<string, number>(UNITS)
  return Math.round(
    [...plain.matchAll(PART)].reduce((ms, [, n, unit = '']) => ms + Number(n) * (unitOf.get(unit) ?? 0), 0),
  )
}

export function durationText(ms: number): string {
  if (ms === 0) return '0s'
  let left = ms
  const parts: string[] = []
  for (const [unit, size] of UNITS) {
    const count = Math.floor(left / size)
    left -= count * size
    if (count > 0) parts.push(`${count}${unit}`)
  }
  return parts.join(' ')
}
