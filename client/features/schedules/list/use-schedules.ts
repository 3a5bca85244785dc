/** Schedules in order of names, page by page, kept current by frames. */
import { useInfiniteQuery } from '@tanstack/react-query'
import { useState } from 'react'
import type { ScheduleRow, ScheduleState } from '../../../../shared/schedules/schedule.ts'
import { api } from '../../../lib/api.ts'
import { useFrames } from '../../../live/use-live.ts'
import { usePaced } from '../../../live/use-paced.ts'
import { toRow } from '../to-row.ts'
import { arrangeRows, isSameRows } from './held-rows.ts'

/** For each page in view: all of them are read again. */
const READ_EVERY_MS = 2_000
const POLL_EVERY_MS = 15_000
const FIRST_PAGE: string | null = null

export interface SchedulesOptions {
  readonly search: string
  readonly state: ScheduleState | null
  readonly isHeld: boolean
}

interface Arranged {
  readonly list: string
  readonly rows: readonly ScheduleRow[]
}

export function useSchedules({ search, state, isHeld }: SchedulesOptions) {
  const { client } = api.useUtils()
  const input = { ...(search !== '' && { search }), ...(state !== null && { state }) }
  // Not tRPC's own hook: it sends a direction too, which the server refuses. The key makes `schedules.invalidate` find it.
  const query = useInfiniteQuery({
    queryKey: [['schedules', 'list'], { pages: input }],
    queryFn: async ({ pageParam: cursor }) => {
      const page = await client.schedules.list.query({ ...input, ...(cursor !== null && { cursor }) })
      return { rows: page.schedules.map((row) => toRow(row)), nextCursor: page.nextCursor }
    },
    initialPageParam: FIRST_PAGE,
    getNextPageParam: ({ nextCursor }) => nextCursor,
    refetchInterval: POLL_EVERY_MS,
    // The rows of the previous search stay until the new ones are loaded.
    placeholderData: (before) => before,
  })
  const refresh = usePaced(query, READ_EVERY_MS * (query.data?.pages.length ?? 1))
  useFrames(({ total, schedules, refetch }) => {
    if (total > 0 || schedules || refetch) refresh()
  })

  const list = JSON.stringify([input, query.isPlaceholderData])
  const [arranged, setArranged] = useState<Arranged | null>(null)
  if (!query.data) return { query, rows: undefined, gone: undefined }
  const before = arranged?.list === list ? arranged.rows : []
  const { rows, gone } = arrangeRows(
    before,
    query.data.pages.flatMap((page) => page.rows),
    isHeld,
  )
  if (arranged?.list !== list || !isSameRows(before, rows)) setArranged({ list, rows })
  return { query, rows, gone }
}
