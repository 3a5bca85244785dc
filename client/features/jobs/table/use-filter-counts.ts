/** Job counts by status within the filter, where counters know them exactly. */
import type { StatusCounts } from '../../../../shared/status.ts'
import { api } from '../../../lib/api.ts'
import type { ParsedFilter } from '../../../lib/filter/filter.ts'
import type { Frame } from '../../../live/frame.ts'
import { useFrames } from '../../../live/use-live.ts'
import { usePaced } from '../../../live/use-paced.ts'

const READ_EVERY_MS = 2_000
const POLL_EVERY_MS = 15_000

/** `counts` are the counts of the whole queue. */
export function useFilterCounts(filter: ParsedFilter, counts: StatusCounts | undefined): StatusCounts | undefined {
  const type = filter.isCounted ? filter.type : null
  const query = api.stats.useQuery(type === null ? undefined : { type }, {
    enabled: type !== null,
    refetchInterval: POLL_EVERY_MS,
  })
  const refresh = usePaced(query, READ_EVERY_MS)
  useFrames((frame) => {
    if (type !== null && concerns(type, frame)) refresh()
  })
  if (!filter.isCounted) return undefined
  return type === null ? counts : query.data?.byType[type]
}

/** A truncated frame may omit changes of this type. */
function concerns(name: string, { refetch, total, changes }: Frame): boolean {
  return refetch || total > changes.length || changes.some(({ type }) => type === name)
}
