/** Live job list: read once, patched by frames, and read again at intervals when frames are not enough. */
import { useQuery, useQueryClient } from '@tanstack/react-query'
import { useEffect, useEffectEvent, useState } from 'react'
import type { JobFilter } from '../../shared/contracts/observe.ts'
import { api } from '../lib/api.ts'
import { toasts } from '../lib/toasts.ts'
import {
  append,
  applyFrame,
  applyRead,
  applyRowRead,
  emptyList,
  hold,
  type ListScope,
  type LiveList,
  needsRead,
  readLimit,
  release,
  showNewest,
} from './live-list.ts'
import { readPage, readRows } from './read-jobs.ts'
import { useFrames, useLive } from './use-live.ts'
import { usePaced } from './use-paced.ts'

const POLL_EVERY_MS = 15_000

export interface LiveListOptions extends ListScope {
  /** Identifies the list among lists of the same kind. */
  readonly name: string
  readonly filter: (now: number) => JobFilter
  /** One page by its number; null: the start of the list, to which more rows can be loaded. */
  readonly page: number | null
  readonly size: number
  /** Shows only the newest `size` jobs of the whole queue; see `LiveList.maxRows`. */
  readonly isFeed?: boolean
  readonly everyMs: number
  /** Rows keep their places, and new jobs wait. */
  readonly isHeld: boolean
}

export function useLiveList(options: LiveListOptions) {
  const { name, filter, page, size, isFeed = false, everyMs, isHeld, type, statuses } = options
  const { client } = api.useUtils()
  const { feed } = useLive()
  const queries = useQueryClient()
  const key = [isFeed ? 'job-feed' : 'jobs', name, page]
  const scope = { type, statuses }
  const known = () => queries.getQueryData<LiveList>(key)
  const update = (change: (list: LiveList) => LiveList) =>
    queries.setQueryData<LiveList>(key, (list) => list && change(list))
  const currentFilter = () => filter(Date.now() + feed.clockOffsetMs)

  const query = useQuery({
    queryKey: key,
    queryFn: async () => {
      const startedAt = performance.now()
      const limit = page === null ? readLimit(known(), size) : size
      const found = await readPage(client, { ...currentFilter(), limit, ...(page !== null && { page }) })
      const reading = { ...found, startedAt, isHead: page === null }
      const withRead = () => applyRead(known() ?? emptyList(isFeed ? size : null), reading, scope)
      const rows = await readRows(client, staleRows(withRead()), type)
      // Computed again: the list may have changed by frames and actions during `readRows`.
      return rows.reduce((list, { id, job, startedAt: at }) => applyRowRead(list, id, job, at), withRead())
    },
    structuralSharing: false,
    refetchInterval: POLL_EVERY_MS,
    // The rows of the previous list stay until the new list is loaded.
    placeholderData: (before: LiveList | undefined) => before,
  })

  const refresh = usePaced(query, everyMs)
  useFrames((frame) => {
    const isReadNeeded = needsRead(known(), frame, scope)
    update((list) => applyFrame(list, frame, performance.now()))
    if (isReadNeeded) refresh()
  })

  // A read that was under way before this mount began before the change that caused the mount, so it may lack that change.
  const [wasReading] = useState(() => queries.isFetching({ queryKey: key }) > 0)
  const onMount = useEffectEvent(() => {
    if (wasReading) refresh()
  })
  useEffect(() => onMount(), [])

  const isLoaded = query.data !== undefined && !query.isPlaceholderData
  const onHeldChange = useEffectEvent(() => {
    update(isHeld ? hold : release)
    if (!isHeld && !isFeed) refresh()
  })
  // biome-ignore lint/correctness/useExhaustiveDependencies: also for another list, whose cached state may have the old value
  useEffect(() => {
    if (isLoaded) onHeldChange()
  }, [isLoaded, isHeld, name, page])

  const [isLoadingMore, setIsLoadingMore] = useState(false)
  async function loadMore(): Promise<void> {
    const cursor = known()?.nextCursor
    if (!cursor || isLoadingMore) return
    setIsLoadingMore(true)
    const startedAt = performance.now()
    try {
      const more = await readPage(client, { ...currentFilter(), limit: size, cursor })
      update((list) => (list.nextCursor === cursor ? append(list, { ...more, startedAt }) : list))
    } catch (error) {
      toasts.showError(error)
    } finally {
      setIsLoadingMore(false)
    }
  }

  const showWaiting = () => void update(showNewest)
  return { query, list: query.data, isLoaded, update, refresh, loadMore, isLoadingMore, showWaiting }
}

/** Rows that changed and are no longer in the list: they are read by id. */
function staleRows({ rows, stale }: LiveList): readonly string[] {
  return rows.filter(({ id }) => stale.has(id)).map(({ id }) => id)
}

export type LiveListHandle = ReturnType<typeof useLiveList>
