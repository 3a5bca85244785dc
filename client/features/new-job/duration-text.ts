/** Durations as people write them, the same as queuectl reads them. */
import { DAY, HOUR, MINUTE, SECOND } from '../../../shared/limits.ts'

const UNITS: Readonly<Record<string, number>> = { ms: 1, s: SECOND, m: MINUTE, min: MINUTE, h: HOUR, d: DAY }

/** `10m`, `1h30m`, `1.5 h`, `500ms`; a bare number is seconds. null when it is none of these. */
export function readDuration(text: string): number | null {
  const trimmed = text.trim()
  if (/^\d+(?:\.\d+)?$/.test(trimmed)) return Math.round(Number(trimmed) * SECOND)
  if (!/^(?:\d+(?:\.\d+)?\s*(?:ms|s|min|m|h|d)\s*)+$/.test(trimmed)) return null
  let total = 0
  for (const [, amount, unit = ''] of trimmed.matchAll(/(\d+(?:\.\d+)?)\s*([a-z]+)/g)) {
    total += Number(amount) * (UNITS[unit] ?? 0)
  }
  return Math.round(total)
}

/** The shortest text that is read as exactly this. */
export function writeDuration(ms: number): string {
  const parts: string[] = []
  let left = ms
  for (const [unit, size] of [
    ['d', DAY],
    ['h', HOUR],
    ['m', MINUTE],
    ['s', SECOND],
    ['ms', 1],
  ] as const) {
    const count = Math.floor(left / size)
    if (count > 0) parts.push(`${count}${unit}`)
    left -= count * size
  }
  return parts.join('') || '0s'
}
