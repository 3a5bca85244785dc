/** Failures of the last week, grouped by type and by what their messages share. */
import { HOUR } from '../../../../shared/limits.ts'
import type { FailureGroup } from '../../records.ts'
import { FAILURE_BUDGETS, type FailurePart, FailureTally, WEEK_HOURS } from '../../stats/failure-groups.ts'
import type { Client } from '../connection/open.ts'
import type { SyncReads } from './sync-reads.ts'

type FailureReads = Pick<SyncReads, 'failureGroups'>

/** Sorted at once, about 20 ms. */
const WINDOW_ROWS = 20_000
const FAILURES = 'from millrace_job_attempts indexed by millrace_job_attempts_failures where error_key is not null'

export function createFailureReads(
  client: Client,
  options: { readonly now: () => number; readonly searchBudgetMs: number },
): FailureReads {
  const edge = client.prepare<[number, number, number], { finishedAt: number }>(
    `select finished_at as finishedAt ${FAILURES} and finished_at > ? and finished_at <= ?
    order by finished_at desc limit 1 offset ?`,
  )
  const window = client.prepare<[{ lower: number; upper: number; type: string | null }], FailurePart>(
    `select type, error_key as errorKey, count(*) as n, min(finished_at) as firstAt, max(finished_at) as lastAt
    ${FAILURES} and finished_at > @lower and finished_at <= @upper and (@type is null or type = @type)
    group by type, error_key`,
  )
  const sample = client.prepare<[number, string, string], { id: string; error: string }>(
    `select j.id, coalesce(a.error, a.error_key) as error
    from millrace_job_attempts a indexed by millrace_job_attempts_failures join millrace_jobs j on j.seq = a.seq
    where a.error_key is not null and a.finished_at = ? and a.type = ? and a.error_key = ?
    order by a.seq desc, a.version desc limit 1`,
  )

  /** The newest hours first, so that when time runs out it is the oldest failures that are not counted. */
  function collect(now: number, type: string | null): FailureTally {
    const deadline = performance.now() + FAILURE_BUDGETS * options.searchBudgetMs
    const tally = new FailureTally()
    // What a clock that went back left in the future belongs to the current hour.
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
