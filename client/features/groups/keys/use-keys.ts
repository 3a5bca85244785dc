/** Keys of a group, page by page; rows keep their places while the list is in use. */
import { useInfiniteQuery } from '@tanstack/react-query'
import { useState } from 'react'
import type { GroupKeyRow } from '../../../../shared/groups/records.ts'
import { api } from '../../../lib/api.ts'
import { useFrames } from '../../../live/use-live.ts'
import { usePaced } from '../../../live/use-paced.ts'
import type { KeySort } from '../use-groups-url.ts'
import { arrangeKeys, isSameRows } from './held-keys.ts'

/** For each page in view: all of them are read again. */
const READ_EVERY_MS = 2_000
const POLL_EVERY_MS = 30_000
const FIRST_PAGE: string | null = null

export interface KeysOptions {
  readonly name: string
  readonly search: string
  readonly sort: KeySort
  readonly isHeld: boolean
}

interface Shown {
  readonly list: string
  readonly rows: readonly GroupKeyRow[]
}

export function useKeys({ name, search, sort, isHeld }: KeysOptions) {
  const { client } = api.useUtils()
  const input = { name, sort, ...(search !== '' && { search }) }
  // Not tRPC's own hook: it sends a direction too, which the server refuses. The key makes `groups.invalidate` find it.
  const query = useInfiniteQuery({
    queryKey: [['groups', 'keys'], { pages: input }],
    queryFn: ({ pageParam: cursor }) => client.groups.keys.query({ ...input, ...(cursor !== null && { cursor }) }),
    initialPageParam: FIRST_PAGE,
    getNextPageParam: ({ nextCursor }) => nextCursor,
    refetchInterval: POLL_EVERY_MS,
    // The rows of the previous search or order stay until the new ones are loaded.
    placeholderData: (before) => before,
  })
  const refresh = usePaced(query, READ_EVERY_MS * (query.data?.pages.length ?? 1))
  useFrames(({ total, types, settings, refetch }) => {
    if (total > 0 || types || settings || refetch) refresh()
  })

  const list = JSON.stringify([search, sort, query.isPlaceholderData])
  const [shown, setShown] = useState<Shown | null>(null)
  if (!query.data) return { query, keys: undefined }
  const reading = { rows: distinct(query.data.pages.flatMap(({ keys }) => keys)), isComplete: !query.hasNextPage }
  const before = shown?.list === list ? shown.rows : []
  const rows = arrangeKeys(before, reading, isHeld)
  if (shown?.list !== list || !isSameRows(before, rows)) setShown({ list, rows })
  return { query, keys: rows }
}

/** Pages are read one after the other, so a key may have moved to a later one. */
function distinct(rows: readonly GroupKeyRow[]): readonly GroupKeyRow[] {
  return [...new Map(rows.map((row) => [row.key, row])).values()]
}
