/** Overview page: queue state, counts, throughput, latency and recent jobs. */
import { STATUSES } from '../../../shared/status.ts'
import { useCounts, useStats } from '../../live/use-stats.ts'
import { FailedToLoad } from '../../ui/FailedToLoad.tsx'
import { EmptyState } from '../../ui/job/EmptyState.tsx'
import { FlowLine } from './FlowLine.tsx'
import { QueueState } from './QueueState.tsx'
import { RecentJobs } from './RecentJobs.tsx'
import { StatusCounts } from './StatusCounts.tsx'
import { Throughput } from './Throughput.tsx'

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
