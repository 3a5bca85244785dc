/** The queue's numbers: exact counts as they are pushed, the slower ones read again every now and then. */
import type { StatusCounts } from '../../../shared/status.ts'
import { api } from '../../lib/api.ts'
import { useFrames, useLatestFrame, useLive } from '../../live/use-live.ts'
import { usePaced } from '../../live/use-paced.ts'

const READ_EVERY_MS = 2_000
const POLL_EVERY_MS = 15_000

export function useStats() {
  const query = api.stats.useQuery(undefined, { refetchInterval: POLL_EVERY_MS })
  const refresh = usePaced(query, READ_EVERY_MS)
  useFrames(refresh)
  return query
}

export type Stats = NonNullable<ReturnType<typeof useStats>['data']>

/** While the line is open the newest frame is the truth: a read may have begun before it. */
export function useCounts(stats: ReturnType<typeof useStats>): StatusCounts | undefined {
  const { connection } = useLive()
  const latest = useLatestFrame()
  if (!latest) return stats.data?.counts
  const isReadNewer = connection !== 'live' && stats.dataUpdatedAt > latest.heardAt
  return isReadNewer && stats.data ? stats.data.counts : latest.frame.counts
}
