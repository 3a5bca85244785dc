/** Lists of any length, page by page. */
import type { ListInput } from '../../../shared/contracts/observe.ts'
import { limits } from '../../../shared/limits.ts'
import type { Queue } from '../../queue/queue.ts'
import type { ListedJob } from './job-record.ts'

export interface JobPage {
  readonly jobs: readonly ListedJob[]
  /** How many match in all; null where nobody counted. */
  readonly total: number | null
  readonly isLast: boolean
}

export async function* jobPages(queue: Queue, input: ListInput, limit: number): AsyncGenerator<JobPage> {
  let cursor: string | undefined
  for (let left = limit; left > 0; ) {
    const place = cursor === undefined ? {} : { cursor }
    const page = await queue.list({ ...input, ...place, limit: Math.min(left, limits.list) })
    left -= page.jobs.length
    cursor = page.nextCursor ?? undefined
    yield { jobs: page.jobs, total: page.total, isLast: cursor === undefined }
    if (cursor === undefined) return
  }
}
