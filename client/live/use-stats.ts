/** Queue statistics: pushed counts, plus the rest of `stats` read at intervals. */
import type { StatusCounts } from '../../shared/status.ts'
import { api } from '../lib/api.ts'
import { useFrames, useLatestFrame, useLive } from './use-live.ts'
import { usePaced } from './use-paced.ts'

const READ_EVERY_MS = 2_000
const POLL_EVERY_MS = 15_000

export function useStats() {
  const query = api.stats.useQuery(undefined, { refetchInterval: POLL_EVERY_MS })
  const refresh = usePaced(query, READ_EVERY_MS)
  useFrames(refresh)
  return query
}

export type Stats = NonNullable<ReturnType<typeof useStats>['data']>

/** While connected, the newest frame wins: a read may have started before it. */
export function useCounts(stats: ReturnType<typeof useStats>): StatusCounts | undefined {
  const { connection } = useLive()
  const latest = useLatestFrame()
  if (!latest) return stats.data?.counts
  const isReadNewer = connection !== 'live' && stats.dataUpdatedAt > latest.receivedAt
  return isReadNewer && stats.data ? stats.data.counts : latest.frame.counts
}
