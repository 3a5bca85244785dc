/** Reads the jobs of a page by their keys, in the same order. */
import type { ListPage } from '../../../../shared/records.ts'
import type { Key } from '../../list/list-key.ts'
import { type FullRecord, SELECT_FULL_JOB, toJob } from '../../rows/job-bodies.ts'
import { JOB_COLUMNS, type JobRecord, toSummary } from '../../rows/job-columns.ts'
import type { Row } from '../../rows/tables.ts'
import type { Queryable } from '../connection/open.ts'

const ROWS = `SELECT ${JOB_COLUMNS} FROM millrace_jobs WHERE seq = ANY($1::bigint[])`
const FULL_ROWS = `${SELECT_FULL_JOB} WHERE j.seq = ANY($1::bigint[])`
// octet_length does not read the body itself.
const LENGTHS = `SELECT j.seq, coalesce(octet_length(b.payload), 0) + coalesce(octet_length(r.result), 0) AS length
  FROM millrace_jobs j LEFT JOIN millrace_job_bodies b ON b.seq = j.seq LEFT JOIN millrace_job_results r ON r.seq = j.seq
  WHERE j.seq = ANY($1::bigint[])`

export async function readRows(queryable: Queryable, keys: readonly Key[]): Promise<ListPage['jobs']> {
  const config = { name: 'read-rows', text: ROWS, values: [seqsOf(keys)] }
  return inOrder((await queryable.query<JobRecord>(config)).rows, keys).map(toSummary)
}

/** Stops before the bodies together exceed `maxLength`, but returns at least one job. */
export async function readBodies(
  queryable: Queryable,
  keys: readonly Key[],
  maxLength: number,
): Promise<ListPage['jobs']> {
  const sizes = { name: 'read-lengths', text: LENGTHS, values: [seqsOf(keys)] }
  const rows = inOrder((await queryable.query<Row<'jobs', 'seq'> & { readonly length: number }>(sizes)).rows, keys)
  let length = 0
  const end = rows.findIndex((row, place) => {
    length += row.length
    return length > maxLength && place > 0
  })
  const fitting = end === -1 ? keys : keys.slice(0, end)
  const config = { name: 'read-bodies', text: FULL_ROWS, values: [seqsOf(fitting)] }
  return inOrder((await queryable.query<FullRecord>(config)).rows, fitting).map(toJob)
}

export async function readIds(queryable: Queryable, keys: readonly Key[]): Promise<string[]> {
  const text = 'SELECT seq, id FROM millrace_jobs WHERE seq = ANY($1::bigint[])'
  const { rows } = await queryable.query<Row<'jobs', 'seq' | 'id'>>({ name: 'read-ids', text, values: [seqsOf(keys)] })
  return inOrder(rows, keys).map(({ id }) => id)
}

function seqsOf(keys: readonly Key[]): number[] {
  return keys.map((key) => key.seq)
}

function inOrder<Found extends Row<'jobs', 'seq'>>(rows: readonly Found[], keys: readonly Key[]): Found[] {
  const bySeq = new Map(rows.map((row) => [row.seq, row]))
  return keys.flatMap((key) => bySeq.get(key.seq) ?? [])
}
