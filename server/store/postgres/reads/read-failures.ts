/** Failures of the last week, grouped by type and by what their messages share. */
import type { PoolClient } from 'pg'
import { HOUR } from '../../../../shared/limits.ts'
import type { FailureGroup } from '../../records.ts'
import {
  FAILURE_BUDGETS,
  type FailurePart,
  FailureTally,
  type OpenGroup,
  WEEK_HOURS,
} from '../../stats/failure-groups.ts'
import type { Reads } from '../../store.ts'
import { inSnapshot } from '../connection/snapshot.ts'
import type { ReadOptions } from './read-options.ts'

type FailureReads = Pick<Reads, 'failureGroups'>

/** Grouped at once. By rows, not by hours as in SQLite: here every question is a round trip. */
const WINDOW_ROWS = 20_000

const FAILURES = 'from millrace_job_attempts where error_key is not null and finished_at > $1 and finished_at <= $2'
const EDGE = `select finished_at as "finishedAt" ${FAILURES} order by finished_at desc limit 1 offset ${WINDOW_ROWS}`
// What a clock that went back left in the future belongs to the current hour.
const WINDOW = `select type, error_key as "errorKey", greatest(0, ($4::bigint - finished_at) / ${HOUR}) as hour,
    count(*) as n, min(finished_at) as "firstAt", max(finished_at) as "lastAt"
  ${FAILURES} and ($3::text is null or type = $3) group by 1, 2, 3`
const SAMPLES = `select g.n, s.id as "sampleId", s.error as "sampleError"
  from unnest($1::bigint[], $2::text[], $3::text[]) with ordinality as g (at, type, key, n)
  cross join lateral (
    select j.id, coalesce(a.error, a.error_key) as error from millrace_job_attempts a join millrace_jobs j on j.seq = a.seq
    where a.error_key is not null and a.finished_at = g.at and a.type = g.type and a.error_key = g.key
    order by a.seq desc, a.version desc limit 1
  ) s order by g.n`

export function createFailureReads({ open, time, searchBudgetMs }: ReadOptions): FailureReads {
  /** The newest first, so that when time runs out it is the oldest failures that are not counted. */
  async function collect(client: PoolClient, type: string | null): Promise<FailureTally> {
    const now = await time.now(client)
    const deadline = performance.now() + FAILURE_BUDGETS * searchBudgetMs
    const floor = now - WEEK_HOURS * HOUR
    const tally = new FailureTally()
    let upper = Number.MAX_SAFE_INTEGER
    while (upper > floor && performance.now() < deadline) {
      const edge = await client.query<{ finishedAt: number }>(EDGE, [floor, upper])
      const lower = edge.rows[0] ? edge.rows[0].finishedAt - 1 : floor
      const parts = await client.query<FailurePart & { hour: number }>(WINDOW, [lower, upper, type, now])
      for (const { hour, ...part } of parts.rows) tally.add(part, hour)
      upper = lower
    }
    return tally
  }

  async function withSamples(client: PoolClient, groups: readonly OpenGroup[]): Promise<readonly FailureGroup[]> {
    const { rows } = await client.query<{ n: number; sampleId: string; sampleError: string }>(SAMPLES, [
      groups.map((group) => group.lastSeenAt),
      groups.map((group) => group.type),
      groups.map((group) => group.errorKey),
    ])
    return rows.flatMap(({ n, ...sample }) => {
      const group = groups[n - 1]
      return group ? [{ ...group, ...sample }] : []
    })
  }

  return {
    async failureGroups({ type, limit }) {
      return inSnapshot(open(), async (client) => withSamples(client, (await collect(client, type)).top(limit)))
    },
  }
}
