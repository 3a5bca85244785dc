/** All groups in order of names, page by page, kept current by frames. */
import { api } from '../../../lib/api.ts'
import { useFrames } from '../../../live/use-live.ts'
import { usePaced } from '../../../live/use-paced.ts'

const READ_EVERY_MS = 2_000
const POLL_EVERY_MS = 15_000

export function useGroups(search: string) {
  const query = api.groups.list.useInfiniteQuery(search === '' ? {} : { search }, {
    getNextPageParam: ({ nextCursor }) => nextCursor,
    refetchInterval: POLL_EVERY_MS,
    placeholderData: (before) => before,
  })
  const refresh = usePaced(query, READ_EVERY_MS)
  useFrames(({ total, types, settings, refetch }) => {
    if (total > 0 || types || settings || refetch) refresh()
  })
  return { query, groups: query.data?.pages.flatMap(({ groups }) => groups) }
}

export type Group = NonNullable<ReturnType<typeof useGroups>['groups']>[number]
