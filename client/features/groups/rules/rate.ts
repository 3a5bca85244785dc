/** Rates as text: `10/s`, `600/min`, `5 per 10s, burst 2`. */
import type { GroupRate } from '../../../../shared/contracts/groups.ts'
import { formatDuration, parseDuration } from '../../../../shared/duration.ts'
import { HOUR, MINUTE, SECOND } from '../../../../shared/limits.ts'
import { formatNumber } from '../../../lib/format-number.ts'

const UNITS = new Map([
  [SECOND, 's'],
  [MINUTE, 'min'],
  [HOUR, 'h'],
])

export const RATE_RULE = 'It must look like 10/s, 600/min or 5 per 10s, with “burst 3” after it if needed.'

export function formatRate({ limit, perMs, burst = 1 }: GroupRate): string {
  const unit = UNITS.get(perMs)
  const rate = formatNumber(limit) + (unit === undefined ? ` per ${formatDuration(perMs)}` : `/${unit}`)
  return burst === 1 ? rate : `${rate}, burst ${formatNumber(burst)}`
}

/** null: not a rate. The server checks the bounds. */
export function parseRate(text: string): GroupRate | null {
  const [, limit = '', per = '', burst] =
    /^([\d,]+)\s*(?:\/|per)\s*(.+?)(?:\s*,?\s*burst\s*([\d,]+))?$/i.exec(text.trim()) ?? []
  const perMs = parsePeriod(per)
  if (limit === '' || perMs === null) return null
  return { limit: whole(limit), perMs, ...(burst !== undefined && { burst: whole(burst) }) }
}

/** `s`, `min` or a duration. */
function parsePeriod(text: string): number | null {
  const name = text.trim().toLowerCase()
  const unit = [...UNITS].find(([, short]) => short === name)
  return unit ? unit[0] : parseDuration(name === 'm' || name === 'd' ? `1${name}` : name)
}

function whole(text: string): number {
  return Number(text.replaceAll(',', ''))
}
