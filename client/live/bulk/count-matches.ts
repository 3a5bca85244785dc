/** Counts the jobs that match a filter, in parts and within a time budget. */
import type { JobFilter } from '../../../shared/contracts/observe.ts'
import { SECOND } from '../../../shared/limits.ts'
import type { Client } from '../../lib/api.ts'
import { formatNumber } from '../../lib/format-number.ts'

export interface Counted {
  readonly count: number
  /** `counting`: the count continues. `least`: the time budget ended before the count did. */
  readonly state: 'exact' | 'counting' | 'least'
}

/** A search reads about 100,000 payloads in this time. */
const BUDGET_MS = 10 * SECOND

export interface CountOptions {
  readonly signal: AbortSignal
  /** Called after every part but the last. */
  readonly onPart: (counted: Counted) => void
}

export async function countMatches(
  client: Client,
  filter: JobFilter,
  { signal, onPart }: CountOptions,
): Promise<Counted> {
  const startedAt = performance.now()
  let count = 0
  let cursor: number | null = null
  for (;;) {
    const part: { readonly count: number; readonly cursor: number | null } = await client.bulk.count.query(
      { filter, ...(cursor !== null && { cursor }) },
      { signal },
    )
    count += part.count
    cursor = part.cursor
    if (cursor === null) return { count, state: 'exact' }
    if (performance.now() - startedAt > BUDGET_MS) return { count, state: 'least' }
    onPart({ count, state: 'counting' })
  }
}

/** `3,475`, `at least 12,000`, `12,000 so far`. */
export function formatCount({ count, state }: Counted): string {
  const n = formatNumber(count)
  if (state === 'exact') return n
  return state === 'least' ? `at least ${n}` : `${n} so far`
}
