/** Failures of the last week, grouped by type and normalised message. */

import { HOUR } from '../../../../shared/limits.ts'
import type { FailureGroup } from '../../../../shared/records.ts'
import type { Row } from '../../rows/tables.ts'
import { FAILURE_BUDGETS, type FailurePart, FailureTally, WEEK_HOURS } from '../../stats/failure-groups.ts'
import type { Client } from '../connection/open.ts'
import type { SyncReads } from './sync-reads.ts'

type FailureReads = Pick<SyncReads, 'failureGroups'>

/** Rows grouped at once, in about 20 ms. */
const WINDOW_ROWS = 20_000
const FAILURES = 'FROM millrace_job_attempts INDEXED BY millrace_job_attempts_failures WHERE error_key IS NOT NULL'

export function createFailureReads(
  client: Client,
  options: { readonly now: () => number; readonly searchBudgetMs: number },
): FailureReads {
  const edge = client.prepare<[number, number, number], Row<'jobAttempts', 'finishedAt'>>(
    `SELECT finished_at AS finishedAt ${FAILURES} AND finished_at > ? AND finished_at <= ?
    ORDER BY finished_at DESC LIMIT 1 OFFSET ?`,
  )
  const window = client.prepare<[{ lower: number; upper: number; type: string | null }], FailurePart>(
    `SELECT type, error_key AS errorKey, count(*) AS n, min(finished_at) AS firstAt, max(finished_at) AS lastAt
    ${FAILURES} AND finished_at > @lower AND finished_at <= @upper AND (@type IS NULL OR type = @type)
    GROUP BY type, error_key`,
  )
  const sample = client.prepare<[number, string, string], Row<'jobs', 'id'> & { readonly error: string }>(
    `SELECT j.id, coalesce(a.error, a.error_key) AS error
    FROM millrace_job_attempts a INDEXED BY millrace_job_attempts_failures JOIN millrace_jobs j ON j.seq = a.seq
    WHERE a.error_key IS NOT NULL AND a.finished_at = ? AND a.type = ? AND a.error_key = ?
    ORDER BY a.seq DESC, a.version DESC LIMIT 1`,
  )

  /** Newest hours first: when the time budget runs out, the oldest failures are not counted. */
  function collect(now: number, type: string | null): FailureTally {
    const deadline = performance.now() + FAILURE_BUDGETS * options.searchBudgetMs
    const tally = new FailureTally()
    // Rows from the future, left by a clock that was set back, count to the current hour.
    let upper = Number.MAX_SAFE_INTEGER
    for (let hour = 0; hour < WEEK_HOURS; hour++) {
      const floor = now - (hour + 1) * HOUR
      while (upper > floor && performance.now() < deadline) {
        const last = edge.get(floor, upper, WINDOW_ROWS)
        const lower = last ? last.finishedAt - 1 : floor
        for (const part of window.all({ lower, upper, type })) tally.add(part, hour)
        upper = lower
      }
    }
    return tally
  }

  function failureGroups({ type, limit }: Parameters<FailureReads['failureGroups']>[0]): readonly FailureGroup[] {
    return collect(options.now(), type)
      .top(limit)
      .flatMap((group) => {
        const recent = sample.get(group.lastSeenAt, group.type, group.errorKey)
        return recent ? [{ ...group, sampleId: recent.id, sampleError: recent.error }] : []
      })
  }

  return { failureGroups: client.transaction(failureGroups) }
}
