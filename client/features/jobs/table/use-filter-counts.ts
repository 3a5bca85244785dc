/** How many jobs of each status there are within the filter, where that is known exactly. */
import type { StatusCounts } from '../../../../shared/status.ts'
import { api } from '../../../lib/api.ts'
import type { Frame } from '../../../live/frame.ts'
import { useFrames } from '../../../live/use-live.ts'
import { usePaced } from '../../../live/use-paced.ts'
import type { ReadFilter } from '../filter/filter.ts'

const READ_EVERY_MS = 2_000
const POLL_EVERY_MS = 15_000

/** `counts` are those of the whole queue. */
export function useFilterCounts(filter: ReadFilter, counts: StatusCounts | undefined): StatusCounts | undefined {
  const type = filter.isCounted ? filter.type : null
  const query = api.stats.useQuery(type === null ? undefined : { type }, {
    enabled: type !== null,
    refetchInterval: POLL_EVERY_MS,
  })
  const refresh = usePaced(query, READ_EVERY_MS)
  useFrames((frame) => {
    if (type !== null && tellsOf(type, frame)) refresh()
  })
  if (!filter.isCounted) return undefined
  return type === null ? counts : query.data?.byType[type]
}

/** Those that a frame does not name may be of this type. */
function tellsOf(name: string, { refetch, total, changes }: Frame): boolean {
  return refetch || total > changes.length || changes.some(({ type }) => type === name)
}
