/** Lists jobs page by page, up to a limit. */

import type { ListInput } from '../../../shared/contracts/observe.ts'
import { limits } from '../../../shared/limits.ts'
import type { Queue } from '../../../shared/queue.ts'
import type { ListedJob } from './job-record.ts'

export interface JobPage {
  readonly jobs: readonly ListedJob[]
  /** Number of all matches. null: not counted. */
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
