/** Reads jobs for lists: enough of them where a search ends early, and some by name. */
import type { ListInput } from '../../../../shared/contracts/observe.ts'
import type { JobSummary } from '../../../../shared/job.ts'
import type { api } from '../../../lib/api.ts'

export type Client = ReturnType<typeof api.useUtils>['client']

export interface Found {
  readonly jobs: readonly JobSummary[]
  readonly nextCursor: string | null
  readonly total: number | null
}

/** A search answers within a time, with what it found until then: after this many goes the reader decides. */
const MOST_GOES = 4
/** They travel in the address of the request, which has to stay short of 8 kB on its way. */
const MOST_NAMED = 100

export async function readEnough(client: Client, input: ListInput): Promise<Found> {
  let { jobs, nextCursor, total }: Found = await client.list.query(input)
  const { page: _, limit = 50, ...rest } = input
  for (let goes = 1; goes < MOST_GOES && nextCursor !== null && jobs.length < limit; goes++) {
    const more = await client.list.query({ ...rest, limit: limit - jobs.length, cursor: nextCursor })
    jobs = [...jobs, ...more.jobs]
    nextCursor = more.nextCursor
    total = more.total
  }
  return { jobs, nextCursor, total }
}

export interface ReadRow {
  readonly id: string
  /** null: there is no such job any more. */
  readonly job: JobSummary | null
  readonly startedAt: number
}

/** These jobs, or the first of them when they are many, wherever they are by now. All are of the type, if one is given. */
export async function readRows(client: Client, ids: readonly string[], type: string | null): Promise<ReadRow[]> {
  const named = ids.slice(0, MOST_NAMED)
  if (named.length === 0) return []
  const startedAt = performance.now()
  const { jobs } = await client.list.query({ ids: named, limit: named.length, ...(type !== null && { type }) })
  const found = new Map(jobs.map((job) => [job.id, job]))
  return named.map((id) => ({ id, job: found.get(id) ?? null, startedAt }))
}
