/** All groups in order of names, page by page, kept current by frames. */
import { useInfiniteQuery } from '@tanstack/react-query'
import { api } from '../../../lib/api.ts'
import { useFrames } from '../../../live/use-live.ts'
import { usePaced } from '../../../live/use-paced.ts'

/** For each page in view: all of them are read again. */
const READ_EVERY_MS = 2_000
const POLL_EVERY_MS = 30_000
const FIRST_PAGE: string | null = null

export function useGroups(search: string) {
  const { client } = api.useUtils()
  // Not tRPC's own hook: it sends a direction too, which the server refuses. The key makes `groups.invalidate` find it.
  const query = useInfiniteQuery({
    queryKey: [['groups', 'list'], { pages: search }],
    queryFn: ({ pageParam: cursor }) =>
      client.groups.list.query({ ...(search !== '' && { search }), ...(cursor !== null && { cursor }) }),
    initialPageParam: FIRST_PAGE,
    getNextPageParam: ({ nextCursor }) => nextCursor,
    refetchInterval: POLL_EVERY_MS,
    placeholderData: (before) => before,
  })
  const refresh = usePaced(query, READ_EVERY_MS * (query.data?.pages.length ?? 1))
  useFrames(({ total, types, settings, refetch }) => {
    if (total > 0 || types || settings || refetch) refresh()
  })
  return { query, groups: query.data?.pages.flatMap(({ groups }) => groups) }
}

export type Group = NonNullable<ReturnType<typeof useGroups>['groups']>[number]
