/** Failures of the last week, grouped by type and normalised message. */
import type { PoolClient } from 'pg'
import { HOUR } from '../../../../shared/limits.ts'
import type { FailureGroup } from '../../../../shared/records.ts'
import type { Row } from '../../rows/tables.ts'
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

/** Rows grouped at once. By rows, not by hours as in SQLite: every statement is a round trip. */
const WINDOW_ROWS = 20_000

const FAILURES = 'FROM millrace_job_attempts WHERE error_key IS NOT NULL AND finished_at > $1 AND finished_at <= $2'
const EDGE = `SELECT finished_at AS "finishedAt" ${FAILURES} ORDER BY finished_at DESC LIMIT 1 OFFSET ${WINDOW_ROWS}`
// Rows from the future, left by a clock that was set back, count to the current hour.
const WINDOW = `SELECT type, error_key AS "errorKey", greatest(0, ($4::bigint - finished_at) / ${HOUR}) AS hour,
    count(*) AS n, min(finished_at) AS "firstAt", max(finished_at) AS "lastAt"
  ${FAILURES} AND ($3::text IS NULL OR type = $3) GROUP BY 1, 2, 3`
const SAMPLES = `SELECT g.n, s.id AS "sampleId", s.error AS "sampleError"
  FROM unnest($1::bigint[], $2::text[], $3::text[]) WITH ORDINALITY AS g (at, type, key, n)
  CROSS JOIN LATERAL (
    SELECT j.id, coalesce(a.error, a.error_key) AS error FROM millrace_job_attempts a JOIN millrace_jobs j ON j.seq = a.seq
    WHERE a.error_key IS NOT NULL AND a.finished_at = g.at AND a.type = g.type AND a.error_key = g.key
    ORDER BY a.seq DESC, a.version DESC LIMIT 1
  ) s ORDER BY g.n`

export function createFailureReads({ open, time, searchBudgetMs }: ReadOptions): FailureReads {
  /** Newest first: when the time budget runs out, the oldest failures are not counted. */
  async function collect(client: PoolClient, type: string | null): Promise<FailureTally> {
    const now = await time.now(client)
    const deadline = performance.now() + FAILURE_BUDGETS * searchBudgetMs
    const floor = now - WEEK_HOURS * HOUR
    const tally = new FailureTally()
    let upper = Number.MAX_SAFE_INTEGER
    while (upper > floor && performance.now() < deadline) {
      const edge = await client.query<Row<'jobAttempts', 'finishedAt'>>(EDGE, [floor, upper])
      const lower = edge.rows[0] ? edge.rows[0].finishedAt - 1 : floor
      const parts = await client.query<FailurePart & { hour: number }>(WINDOW, [lower, upper, type, now])
      for (const { hour, ...part } of parts.rows) tally.add(part, hour)
      upper = lower
    }
    return tally
  }

  async function withSamples(client: PoolClient, groups: readonly OpenGroup[]): Promise<readonly FailureGroup[]> {
    const { rows } = await client.query<Pick<FailureGroup, 'sampleId' | 'sampleError'> & { readonly n: number }>(
      SAMPLES,
      [
        groups.map((group) => group.lastSeenAt),
        groups.map((group) => group.type),
        groups.map((group) => group.errorKey),
      ],
    )
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
