/** Failure groups, refreshed at a limited rate when jobs fail. */
import { useState } from 'react'
import { api } from '../../lib/api.ts'
import type { Frame } from '../../live/frame.ts'
import { useFrames } from '../../live/use-live.ts'
import { usePaced } from '../../live/use-paced.ts'
import { groupKey } from './group-filter.ts'
import { arrange, mostFrequentFirst } from './stable-order.ts'

const READ_EVERY_MS = 3_000
const POLL_EVERY_MS = 30_000
const LIMIT = 200

/** `type` null: all types. The caller must remount (`key`) when the type changes. */
export function useGroups(type: string | null) {
  const input = type === null ? { limit: LIMIT } : { limit: LIMIT, type }
  const query = api.failures.groups.useQuery(input, { refetchInterval: POLL_EVERY_MS })
  const refresh = usePaced(query, READ_EVERY_MS)
  useFrames((frame) => {
    if (mayContainFailures(frame)) refresh()
  })
  const [order, setOrder] = useState<readonly string[] | null>(null)
  const data = query.data && mostFrequentFirst(query.data)
  const arranged = data && arrange(data, order)
  // Groups keep their position after they were first shown.
  if (order === null && data && data.length > 0) setOrder(data.map(groupKey))
  return {
    query,
    groups: arranged?.shown,
    waiting: arranged?.waiting ?? 0,
    isCut: data?.length === LIMIT,
    /** Shows the new groups and sorts all of them again. */
    sortAgain: () => data && setOrder(data.map(groupKey)),
  }
}

export type FailureGroup = NonNullable<ReturnType<typeof useGroups>['groups']>[number]

/** Changes that the frame does not list may be failures. */
function mayContainFailures({ refetch, total, changes }: Frame): boolean {
  return refetch || total > changes.length || changes.some(({ to }) => to === 'failed' || to === 'retrying')
}
