/** The jobs of a page whose keys are known, in their order. */

import type { Key } from '../../list/list-key.ts'
import type { ListPage } from '../../records.ts'
import { type FullRecord, SELECT_FULL_JOB, toJob } from '../../rows/job-bodies.ts'
import { JOB_COLUMNS, type JobRecord, toSummary } from '../../rows/job-columns.ts'
import type { Queryable } from '../connection/open.ts'

const ROWS = `select ${JOB_COLUMNS} from millrace_jobs where seq = any($1::bigint[])`
const FULL_ROWS = `${SELECT_FULL_JOB} where j.seq = any($1::bigint[])`
// The length of a body is known without reading it.
const LENGTHS = `select j.seq, coalesce(octet_length(b.payload), 0) + coalesce(octet_length(r.result), 0) as length
  from millrace_jobs j left join millrace_job_bodies b on b.seq = j.seq left join millrace_job_results r on r.seq = j.seq
  where j.seq = any($1::bigint[])`

interface Row {
  readonly seq: number
}

export async function readRows(queryable: Queryable, keys: readonly Key[]): Promise<ListPage['jobs']> {
  const config = { name: 'read-rows', text: ROWS, values: [seqsOf(keys)] }
  return inOrder((await queryable.query<JobRecord>(config)).rows, keys).map(toSummary)
}

/** Fewer than asked for when their bodies together are longer than `maxLength`; at least one. */
export async function readBodies(
  queryable: Queryable,
  keys: readonly Key[],
  maxLength: number,
): Promise<ListPage['jobs']> {
  const sizes = { name: 'read-lengths', text: LENGTHS, values: [seqsOf(keys)] }
  const rows = inOrder((await queryable.query<Row & { length: number }>(sizes)).rows, keys)
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
  const text = 'select seq, id from millrace_jobs where seq = any($1::bigint[])'
  const { rows } = await queryable.query<Row & { id: string }>({ name: 'read-ids', text, values: [seqsOf(keys)] })
  return inOrder(rows, keys).map(({ id }) => id)
}

function seqsOf(keys: readonly Key[]): number[] {
  return keys.map((key) => key.seq)
}

function inOrder<Found extends Row>(rows: readonly Found[], keys: readonly Key[]): Found[] {
  const bySeq = new Map(rows.map((row) => [row.seq, row]))
  return keys.flatMap((key) => bySeq.get(key.seq) ?? [])
}
