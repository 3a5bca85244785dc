/** The first page: how much there is of everything, how it flows, and what came last. */
import { STATUSES } from '../../../shared/status.ts'
import { FailedToLoad } from '../../ui/FailedToLoad.tsx'
import { EmptyState } from './EmptyState.tsx'
import { FlowLine } from './FlowLine.tsx'
import { QueueState } from './QueueState.tsx'
import { RecentJobs } from './RecentJobs.tsx'
import { StatusCounts } from './StatusCounts.tsx'
import { Throughput } from './Throughput.tsx'
import { useCounts, useStats } from './use-stats.ts'

export function Overview() {
  const stats = useStats()
  const counts = useCounts(stats)
  const isEmpty = counts !== undefined && STATUSES.every((status) => counts[status] === 0)
  if (stats.error && !counts) {
    return <FailedToLoad isPage what="the queue" error={stats.error} onRetry={() => void stats.refetch()} />
  }
  return (
    <>
      <h1 className="sr-only">Overview</h1>
      <QueueState pending={counts?.pending} stats={stats.data} />
      <StatusCounts counts={counts} />
      <FlowLine stats={stats.data} readAt={stats.dataUpdatedAt} />
      {isEmpty ? (
        <EmptyState />
      ) : (
        <>
          <Throughput />
          <RecentJobs />
        </>
      )}
    </>
  )
}
