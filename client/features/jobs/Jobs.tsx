/** Jobs page: sections by status, or a table with a filter. */
import { useRef } from 'react'
import { STATUSES } from '../../../shared/status.ts'
import { api } from '../../lib/api.ts'
import { useCounts } from '../../live/use-stats.ts'
import { EmptyState } from '../../ui/job/EmptyState.tsx'
import { PageHead } from '../../ui/PageHead.tsx'
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
