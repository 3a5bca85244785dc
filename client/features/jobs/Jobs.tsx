/** The page of all jobs: as sections by status, or as a table behind a filter. */
import { useRef } from 'react'
import { STATUSES } from '../../../shared/status.ts'
import { api } from '../../lib/api.ts'
import { PageHead } from '../../ui/PageHead.tsx'
import { EmptyState } from '../overview/EmptyState.tsx'
import { useCounts } from '../overview/use-stats.ts'
import { useRowKeys } from './list/use-row-keys.ts'
import { Sections } from './sections/Sections.tsx'
import { Table } from './table/Table.tsx'
import { useJobsUrl } from './use-jobs-url.ts'
import { ViewSwitch } from './ViewSwitch.tsx'

const POLL_EVERY_MS = 15_000

export function Jobs() {
  const url = useJobsUrl()
  const area = useRef<HTMLDivElement>(null)
  const counts = useCounts(api.stats.useQuery(undefined, { refetchInterval: POLL_EVERY_MS }))
  useRowKeys(area)

  const isEmpty = counts !== undefined && STATUSES.every((status) => counts[status] === 0)
  return (
    <div ref={area}>
      <PageHead title="Jobs">
        <ViewSwitch url={url} />
      </PageHead>
      {isEmpty ? (
        <EmptyState />
      ) : url.view === 'table' ? (
        <Table counts={counts} url={url} />
      ) : (
        <Sections counts={counts} url={url} />
      )}
    </div>
  )
}
