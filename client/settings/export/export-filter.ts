/** Which jobs to export, as the URL has it. */
import type { JobFilter } from '../../../shared/contracts/observe.ts'
import { isStatus } from '../../../shared/status.ts'

export const FILTER_NAMES = ['type', 'status', 'search', 'error', 'from', 'to'] as const
export type FilterName = (typeof FILTER_NAMES)[number]

/** Days are those of this browser's time zone, both included. */
export function exportFilter(params: URLSearchParams): JobFilter {
  const given = (name: FilterName) => params.get(name)?.trim() || null
  const [type, search, error] = [given('type'), given('search'), given('error')]
  const status = params.getAll('status').filter(isStatus)
  const from = startOf(given('from'), 0)
  const to = startOf(given('to'), 1)
  return {
    ...(type !== null && { type }),
    ...(status.length > 0 && { status }),
    ...(search !== null && { search }),
    ...(error !== null && { error }),
    ...(from !== null && { from }),
    ...(to !== null && { to }),
  }
}

function startOf(day: string | null, plusDays: number): number | null {
  const [, year, month, date] = /^(\d{4})-(\d\d)-(\d\d)$/.exec(day ?? '') ?? []
  if (year === undefined) return null
  return new Date(Number(year), Number(month) - 1, Number(date) + plusDays).getTime()
}
