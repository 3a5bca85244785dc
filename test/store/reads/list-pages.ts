/** Helpers for lists in tests, and the walk along all cursors. */

import { type ListInput, listInput } from '../../../shared/contracts/observe.ts'
import type { ListPage } from '../../../shared/records.ts'
import type { TestReads } from './rows.ts'

type Lists = Pick<TestReads, 'list'>

export const list = async (reads: Lists, input: ListInput = {}): Promise<ListPage> => reads.list(listInput.parse(input))
export const seqs = (page: ListPage) => page.jobs.map((job) => job.seq)

/** All pages, by following cursors. */
export async function everything(reads: Lists, input: ListInput): Promise<{ seqs: number[]; pages: number }> {
  const found: number[] = []
  let cursor: string | null = null
  let pages = 0
  do {
    const page: ListPage = await list(
      reads,
      cursor === null ? input : { ...input, cursor, offset: undefined, page: undefined },
    )
    found.push(...seqs(page))
    cursor = page.nextCursor
    pages += 1
  } while (cursor !== null && pages < 5_000)
  return { seqs: found, pages }
}
