/** Reads jobs for live lists: a full page although searches end early, and single rows by id. */
import type { ListInput } from '../../shared/contracts/observe.ts'
import type { JobSummary } from '../../shared/job.ts'
import type { Client } from '../lib/api.ts'

export interface Found {
  readonly jobs: readonly JobSummary[]
  readonly nextCursor: string | null
  readonly total: number | null
}

/** A search returns what it found within its time budget. After this many requests the user continues by hand. */
const MAX_REQUESTS = 4
/** The ids are part of the request URL, which must stay below 8 kB. */
const MAX_IDS = 100

export async function readPage(client: Client, input: ListInput): Promise<Found> {
  let { jobs, nextCursor, total }: Found = await client.list.query(input)
  const { page: _, limit = 50, ...rest } = input
  for (let requests = 1; requests < MAX_REQUESTS && nextCursor !== null && jobs.length < limit; requests++) {
    const more = await client.list.query({ ...rest, limit: limit - jobs.length, cursor: nextCursor })
    jobs = [...jobs, ...more.jobs]
    nextCursor = more.nextCursor
    total = more.total
  }
  return { jobs, nextCursor, total }
}

export interface ReadRow {
  readonly id: string
  /** null: the job was deleted. */
  readonly job: JobSummary | null
  readonly startedAt: number
}

/** Reads at most `MAX_IDS` of these jobs, whatever their status. `type`, if given, is the type of all of them. */
export async function readRows(client: Client, ids: readonly string[], type: string | null): Promise<ReadRow[]> {
  const requested = ids.slice(0, MAX_IDS)
  if (requested.length === 0) return []
  const startedAt = performance.now()
  const { jobs } = await client.list.query({ ids: requested, limit: requested.length, ...(type !== null && { type }) })
  const found = new Map(jobs.map((job) => [job.id, job]))
  return requested.map((id) => ({ id, job: found.get(id) ?? null, startedAt }))
}
