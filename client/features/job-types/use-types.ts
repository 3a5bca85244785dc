/** All job types with settings, counts and throughput, kept current by frames. */
import { useMemo } from 'react'
import { emptyCounts } from '../../../shared/status.ts'
import { api } from '../../lib/api.ts'
import { useFrames, useLive } from '../../live/use-live.ts'
import { usePaced } from '../../live/use-paced.ts'
import { useStats } from '../../live/use-stats.ts'
import { type BacklogHistory, backlogOf, FLOW_MINUTES, flowOf, type MinuteCounts } from './flow.ts'

const TYPES_EVERY_MS = 1_000
const HISTORY_EVERY_MS = 10_000
const POLL_EVERY_MS = 30_000

const NOT_RECORDED: BacklogHistory = { minutes: [], types: {} }

export function useTypes() {
  const types = api.types.list.useQuery(undefined, { refetchInterval: POLL_EVERY_MS })
  const stats = useStats()
  const history = api.history.useQuery({ minutes: FLOW_MINUTES }, { refetchInterval: POLL_EVERY_MS })
  const depths = api.depths.useQuery({ minutes: FLOW_MINUTES }, { refetchInterval: POLL_EVERY_MS })
  const readTypes = usePaced(types, TYPES_EVERY_MS)
  const readHistory = usePaced(history, HISTORY_EVERY_MS)
  useFrames((frame) => {
    // The first job of a type creates it.
    const isNew = frame.changes.some(({ type }) => types.data?.every(({ name }) => name !== type) ?? false)
    if (frame.types || frame.settings || frame.refetch || isNew) readTypes()
    if (frame.total > 0 || frame.refetch) readHistory()
  })
  const { feed } = useLive()

  const { byType, oldestReadyMsByType } = stats.data ?? {}
  const historyAt = history.dataUpdatedAt + feed.clockOffsetMs
  const minutes = useMemo(() => groupByType(history.data ?? []), [history.data])
  const rows = types.data
    ?.map((type) => {
      const counts = byType?.[type.name] ?? emptyCounts()
      const flow = flowOf(type.name, {
        minutes: minutes.get(type.name) ?? [],
        history: depths.data ?? NOT_RECORDED,
        now: historyAt,
        backlogNow: backlogOf(counts),
      })
      const oldestMs = oldestReadyMsByType?.[type.name]
      return {
        type,
        counts,
        flow,
        oldest: oldestMs === undefined ? null : { ms: oldestMs, readAt: stats.dataUpdatedAt },
      }
    })
    .sort(
      (a, b) =>
        Number(a.type.kind === 'system') - Number(b.type.kind === 'system') || (a.type.name < b.type.name ? -1 : 1),
    )
  return {
    query: types,
    rows,
    hasCounts: stats.data !== undefined,
    hasFlow: history.data !== undefined && depths.data !== undefined,
  }
}

export type TypeEntry = NonNullable<ReturnType<typeof useTypes>['rows']>[number]

function groupByType(rows: readonly MinuteCounts[]): ReadonlyMap<string, readonly MinuteCounts[]> {
  const groups = new Map<string, MinuteCounts[]>()
  for (const row of rows) {
    const known = groups.get(row.type)
    if (known) known.push(row)
    else groups.set(row.type, [row])
  }
  return groups
}
