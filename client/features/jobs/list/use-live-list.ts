/** A list of jobs kept current: read once, patched by frames, read again at a pace when frames cannot say enough. */
import { useQuery, useQueryClient } from '@tanstack/react-query'
import { useEffect, useEffectEvent, useRef, useState } from 'react'
import type { JobFilter } from '../../../../shared/contracts/observe.ts'
import { limits } from '../../../../shared/limits.ts'
import { api } from '../../../lib/api.ts'
import { useFrames, useLive } from '../../../live/use-live.ts'
import { usePaced } from '../../../live/use-paced.ts'
import { toasts } from '../../../ui/toasts.ts'
import { append, hear, type LiveList, read, readOne, release, type Scope, wantsReading } from './live-list.ts'
import { readEnough, readRows } from './read-jobs.ts'

const POLL_EVERY_MS = 15_000

export interface LiveListOptions extends Scope {
  /** What makes this list another one than the last. */
  readonly name: string
  readonly filter: (now: number) => JobFilter
  /** One page by its number; null: the beginning, to which more can be loaded. */
  readonly page: number | null
  readonly size: number
  readonly everyMs: number
  /** What is in view stays in view, and what is new waits. */
  readonly isHeld: boolean
}

export function useLiveList({ name, filter, page, size, everyMs, isHeld, type, statuses }: LiveListOptions) {
  const { client } = api.useUtils()
  const { feed } = useLive()
  const queries = useQueryClient()
  const key = ['jobs', name, page]
  const scope = { type, statuses }
  const known = () => queries.getQueryData<LiveList>(key)
  const step = (change: (list: LiveList) => LiveList) =>
    queries.setQueryData<LiveList>(key, (list) => list && change(list))
  const held = useRef(isHeld)
  held.current = isHeld
  const asked = () => filter(Date.now() + feed.clockOffsetMs)

  const query = useQuery({
    queryKey: key,
    queryFn: async () => {
      const startedAt = performance.now()
      const shown = known()?.rows.length ?? 0
      const limit = page === null ? Math.min(limits.list, Math.max(size, held.current ? shown + size : shown)) : size
      const found = await readEnough(client, { ...asked(), limit, ...(page !== null && { page }) })
      const reading = { ...found, startedAt, isHead: page === null }
      const now = () => read(known(), reading, scope, held.current)
      const rows = await readRows(client, staleRows(now()), type)
      // Only now: frames and acts of the meantime are in what is known.
      return rows.reduce((next, { id, job, startedAt: at }) => readOne(next, id, job, at), now())
    },
    structuralSharing: false,
    refetchInterval: POLL_EVERY_MS,
    // The rows of the list before stay until there are others.
    placeholderData: (before: LiveList | undefined) => before,
  })

  const refresh = usePaced(query, everyMs)
  useFrames((frame) => {
    const isWanted = wantsReading(known(), frame, scope)
    step((list) => hear(list, frame, performance.now()))
    if (isWanted) refresh()
  })

  const isLoaded = query.data !== undefined && !query.isPlaceholderData
  const moveOn = useEffectEvent(() => {
    step(release)
    refresh()
  })
  useEffect(() => {
    if (isLoaded && !isHeld) moveOn()
  }, [isLoaded, isHeld])

  const [isLoadingMore, setIsLoadingMore] = useState(false)
  async function loadMore(): Promise<void> {
    const cursor = known()?.nextCursor
    if (!cursor || isLoadingMore) return
    setIsLoadingMore(true)
    const startedAt = performance.now()
    try {
      const more = await readEnough(client, { ...asked(), limit: size, cursor })
      step((list) => (list.nextCursor === cursor ? append(list, { ...more, startedAt }) : list))
    } catch (error) {
      toasts.complain(error)
    } finally {
      setIsLoadingMore(false)
    }
  }

  return { query, list: query.data, isLoaded, step, refresh, loadMore, isLoadingMore, showWaiting: () => step(release) }
}

/** Rows that changed and are not in the list any more: by themselves they tell what became of them. */
function staleRows({ rows, stale }: LiveList): readonly string[] {
  return rows.filter(({ id }) => stale.has(id)).map(({ id }) => id)
}

export type LiveListHandle = ReturnType<typeof useLiveList>
