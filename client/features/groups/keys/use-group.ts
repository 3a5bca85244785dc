/** One group by its name. */
import { limits } from '../../../../shared/limits.ts'
import { api } from '../../../lib/api.ts'
import { useFrames } from '../../../live/use-live.ts'
import { usePaced } from '../../../live/use-paced.ts'

const READ_EVERY_MS = 2_000
const POLL_EVERY_MS = 15_000

/** `group` null: no group has this name. */
export function useGroup(name: string) {
  // The search finds longer names too. The list is in order of names, so it starts just before this one.
  const cursor = name.slice(0, -1)
  const query = api.groups.list.useQuery(
    { search: name, limit: limits.list, ...(cursor !== '' && { cursor }) },
    { refetchInterval: POLL_EVERY_MS },
  )
  const refresh = usePaced(query, READ_EVERY_MS)
  useFrames(({ total, types, settings, refetch }) => {
    if (total > 0 || types || settings || refetch) refresh()
  })
  return { query, group: query.data && (query.data.groups.find((one) => one.name === name) ?? null) }
}
