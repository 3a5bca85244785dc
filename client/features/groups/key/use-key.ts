/** One key of a group, kept current by frames. */
import { api } from '../../../lib/api.ts'
import { useFrames } from '../../../live/use-live.ts'
import { usePaced } from '../../../live/use-paced.ts'

const READ_EVERY_MS = 1_000
const POLL_EVERY_MS = 10_000

export function useKey(name: string, key: string) {
  const query = api.groups.key.useQuery({ name, key }, { refetchInterval: POLL_EVERY_MS })
  const refresh = usePaced(query, READ_EVERY_MS)
  useFrames(({ total, types, settings, refetch }) => {
    if (total > 0 || types || settings || refetch) refresh()
  })
  return { query, row: query.data }
}
