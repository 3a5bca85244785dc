/** The page of all jobs: as sections by status, or as a table behind a filter. */
import { useEffect, useRef, useState } from 'react'
import { STATUSES } from '../../shared/status.ts'
import { api } from '../api.ts'
import { EmptyState } from '../overview/EmptyState.tsx'
import { useCounts } from '../overview/use-stats.ts'
import { PageHead } from '../ui/PageHead.tsx'
import { BulkPanels } from './bulk/BulkPanels.tsx'
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
  const [wantsFilter, setWantsFilter] = useState(false)
  useRowKeys(area, () => {
    if (url.view !== 'table') url.go({ view: 'table' })
    setWantsFilter(true)
  })
  // The field may only come with the other view.
  useEffect(() => {
    if (!wantsFilter) return
    area.current?.querySelector<HTMLInputElement>('[data-filter-field]')?.focus()
    setWantsFilter(false)
  }, [wantsFilter])

  const isEmpty = counts !== undefined && STATUSES.every((status) => counts[status] === 0)
  return (
    <div ref={area} className="group/jobs">
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
      <BulkPanels />
    </div>
  )
}
