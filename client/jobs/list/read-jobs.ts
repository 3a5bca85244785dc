/** Reads jobs for lists: enough of them where a search ends early, and single ones. */
import type { ListInput } from '../../../shared/contracts/observe.ts'
import type { JobSummary } from '../../../shared/job.ts'
import { type api, httpStatusOf } from '../../api.ts'

export type Client = ReturnType<typeof api.useUtils>['client']

export interface Found {
  readonly jobs: readonly JobSummary[]
  readonly nextCursor: string | null
  readonly total: number | null
}

/** A search answers within a time, with what it found until then: after this many goes the reader decides. */
const MOST_GOES = 4
/** Each brings its payload along. */
const SINGLE_READS = 20

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

/** A few of these jobs, one by one, for want of a list that has them. */
export function readRows(client: Client, ids: readonly string[]): Promise<ReadRow[]> {
  const startedAt = performance.now()
  return Promise.all(ids.slice(0, SINGLE_READS).map(async (id) => ({ id, job: await readOne(client, id), startedAt })))
}

async function readOne(client: Client, id: string): Promise<JobSummary | null> {
  try {
    return await client.get.query({ id })
  } catch (error) {
    if (httpStatusOf(error) === 404) return null
    throw error
  }
}
