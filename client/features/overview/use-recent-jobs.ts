/** The recent jobs, kept current: read once, patched by frames, read again when frames cannot say enough. */
import { useQuery, useQueryClient } from '@tanstack/react-query'
import { useEffect, useEffectEvent, useState } from 'react'
import { api } from '../../lib/api.ts'
import { useFrames } from '../../live/use-live.ts'
import { usePaced } from '../../live/use-paced.ts'
import { hear, hold, type RecentJobs, read, readLimit, release, visible, wantsRead } from './recent-jobs.ts'

const KEY = ['recent-jobs']
const READ_EVERY_MS = 500
const POLL_EVERY_MS = 15_000

/** While `isHeld`, what is in view stays in view and newer jobs wait. */
export function useRecentJobs(isHeld: boolean) {
  const { client } = api.useUtils()
  const queries = useQueryClient()
  const known = () => queries.getQueryData<RecentJobs>(KEY)
  const step = (change: (state: RecentJobs) => RecentJobs) =>
    queries.setQueryData<RecentJobs>(KEY, (state) => state && change(state))

  const query = useQuery({
    queryKey: KEY,
    queryFn: async () => {
      const startedAt = performance.now()
      const limit = readLimit(known())
      const { jobs } = await client.list.query({ limit })
      return read(known(), jobs, limit, startedAt)
    },
    structuralSharing: false,
    refetchInterval: POLL_EVERY_MS,
  })

  const refresh = usePaced(query, READ_EVERY_MS)
  useFrames((frame) => {
    const isWanted = wantsRead(known(), frame)
    step((state) => hear(state, frame, performance.now()))
    if (isWanted) refresh()
  })

  // A read that was under way before this mount began before the change that caused the mount, so it may lack that change.
  const [wasReading] = useState(() => queries.isFetching({ queryKey: KEY }) > 0)
  const onMount = useEffectEvent(() => {
    if (wasReading) refresh()
  })
  useEffect(() => onMount(), [])

  const isLoaded = query.data !== undefined
  useEffect(() => {
    if (isLoaded) queries.setQueryData<RecentJobs>(KEY, (state) => state && (isHeld ? hold(state) : release(state)))
  }, [isHeld, isLoaded, queries])

  const { data } = query
  return {
    query,
    jobs: data && visible(data),
    removed: data?.removed,
    waiting: data?.waiting ?? 0,
    isWaitingMore: data?.isWaitingMore ?? false,
    /** Brings the waiting ones into view, and holds again if the reader still looks further down. */
    showWaiting: () => step((state) => (isHeld ? hold(release(state)) : release(state))),
  }
}
