/** Settings of the queue, refreshed when they change. */
import { api } from '../../lib/api.ts'
import { useFrames } from '../../live/use-live.ts'
import { usePaced } from '../../live/use-paced.ts'

const READ_EVERY_MS = 1_000

export function useQueueSettings() {
  const query = api.settings.get.useQuery()
  const refresh = usePaced(query, READ_EVERY_MS)
  useFrames(({ settings, refetch }) => {
    if (settings || refetch) refresh()
  })
  return query
}
