/** One statement that finishes, stores and takes jobs; it has only the parts that a batch needs. */
import type { QueryConfig } from 'pg'
import { FINISH, HEADS, TAKE } from '../../postgres/bare-statements.ts'

const LEASE_MS = 30_000

export interface Stored {
  readonly id: string
  readonly type: string
  readonly payload: string
}

export interface Finished {
  readonly id: string
  readonly version: number
  readonly result: string
}

export interface Batch {
  readonly stored: readonly Stored[]
  readonly finished: readonly Finished[]
  readonly type: string | undefined
  readonly limit: number
}

/** A taken job, or nulls without one, beside the number of finished jobs. */
export type BatchRow = { readonly finished: number } & (
  | { readonly id: string; readonly version: string; readonly payload: string }
  | { readonly id: null; readonly version: null; readonly payload: null }
)

/** Prepared once for each combination of parts. It cannot take what it stores. */
export function batchStatement({ stored, finished, type, limit }: Batch): QueryConfig {
  const now = Date.now()
  const parts: string[] = []
  const values: unknown[] = []
  if (limit > 0) {
    values.push(type, now + LEASE_MS, 'worker', limit)
    parts.push(`taken AS (${TAKE}
      WHERE seq = ANY (ARRAY(${HEADS} LIMIT $4 FOR UPDATE SKIP LOCKED)) RETURNING seq, id, version, payload)`)
  }
  const bind = (value: unknown) => `$${values.push(value)}`
  if (finished.length > 0) {
    const ids = bind(finished.map(({ id }) => id))
    const versions = bind(finished.map(({ version }) => version))
    const results = bind(finished.map(({ result }) => result))
    parts.push(`finished AS (${FINISH}, result = given.result
      FROM unnest(${results}::text[], ${ids}::text[], ${versions}::bigint[]) AS given (result, id, version)
      WHERE jobs.id = given.id AND status = 'processing' AND jobs.version = given.version RETURNING jobs.id)`)
  }
  if (stored.length > 0) {
    const ids = bind(stored.map(({ id }) => id))
    const types = bind(stored.map((job) => job.type))
    const payloads = bind(stored.map(({ payload }) => payload))
    parts.push(`stored AS (
      INSERT INTO jobs (id, type, payload, status, priority, run_at, attempts, version)
      SELECT id, type, payload, 'pending', 0, ${bind(now)}, 0, 0
      FROM unnest(${ids}::text[], ${types}::text[], ${payloads}::text[]) AS given (id, type, payload))`)
  }
  const taken = limit > 0 ? 'taken' : '(SELECT NULL AS seq, NULL AS id, NULL AS version, NULL AS payload) AS taken'
  const count = finished.length > 0 ? '(SELECT count(*)::int FROM finished)' : '0'
  return {
    name: `batch-${[limit, finished.length, stored.length].map((size) => (size > 0 ? 1 : 0)).join('')}`,
    text: `WITH ${parts.join(', ')}
      SELECT ${count} AS finished, id, version, payload FROM (SELECT 1) AS one LEFT JOIN ${taken} ON true ORDER BY seq`,
    values,
  }
}
