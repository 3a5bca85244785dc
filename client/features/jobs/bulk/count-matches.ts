/** Counts the jobs that match a filter: at once where counters know, otherwise piece by piece, for a limited time. */
import type { JobFilter } from '../../../../shared/contracts/observe.ts'
import { SECOND } from '../../../../shared/limits.ts'
import { formatNumber } from '../../../lib/format-number.ts'
import type { Client } from '../list/read-jobs.ts'

export interface Counted {
  readonly count: number
  /** `counting`: there may be more, and the count goes on. `least`: counting took too long and was given up. */
  readonly state: 'exact' | 'counting' | 'least'
}

/** A search reads about 100,000 payloads in this time. */
const BUDGET_MS = 10 * SECOND

export interface CountOptions {
  readonly signal: AbortSignal
  /** What is known so far, each time that a piece was counted and more are left. */
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
export function countText({ count, state }: Counted): string {
  const n = formatNumber(count)
  if (state === 'exact') return n
  return state === 'least' ? `at least ${n}` : `${n} so far`
}
