/** One schedule with its ticks, kept current by frames. */
import { api } from '../../../lib/api.ts'
import { useFrames } from '../../../live/use-live.ts'
import { usePaced } from '../../../live/use-paced.ts'
import { toDetails } from '../to-row.ts'

const READ_EVERY_MS = 2_000
const POLL_EVERY_MS = 10_000

export function useSchedule(name: string) {
  const query = api.schedules.get.useQuery({ name }, { refetchInterval: POLL_EVERY_MS, select: toDetails })
  const refresh = usePaced(query, READ_EVERY_MS)
  useFrames(({ total, schedules, refetch }) => {
    if (total > 0 || schedules || refetch) refresh()
  })
  return query
}
