/** The groups of failures, kept current: read again, at a calm pace, when something failed. */
import { useState } from 'react'
import { api } from '../../lib/api.ts'
import type { Frame } from '../../live/frame.ts'
import { useFrames } from '../../live/use-live.ts'
import { usePaced } from '../../live/use-paced.ts'
import { arrange, hottestFirst } from './arrange.ts'
import { groupName } from './group-filter.ts'

const READ_EVERY_MS = 3_000
const POLL_EVERY_MS = 30_000
const LIMIT = 200

/** Of one type, or of all. Changes of the type need a component of their own (`key`). */
export function useGroups(type: string | null) {
  const input = type === null ? { limit: LIMIT } : { limit: LIMIT, type }
  const query = api.failures.groups.useQuery(input, { refetchInterval: POLL_EVERY_MS })
  const refresh = usePaced(query, READ_EVERY_MS)
  useFrames((frame) => {
    if (tellsOfFailures(frame)) refresh()
  })
  const [order, setOrder] = useState<readonly string[] | null>(null)
  const data = query.data && hottestFirst(query.data)
  const arranged = data && arrange(data, order)
  // What is on the page for the first time stays where it is from now on.
  if (order === null && data && data.length > 0) setOrder(data.map(groupName))
  return {
    query,
    groups: arranged?.shown,
    waiting: arranged?.waiting ?? 0,
    isCut: data?.length === LIMIT,
    /** Lets new groups in, and sorts all of them again. */
    sortAgain: () => data && setOrder(data.map(groupName)),
  }
}

export type FailureGroup = NonNullable<ReturnType<typeof useGroups>['groups']>[number]

/** Those that a frame does not name may be failures. */
function tellsOfFailures({ refetch, total, changes }: Frame): boolean {
  return refetch || total > changes.length || changes.some(({ to }) => to === 'failed' || to === 'retrying')
}
