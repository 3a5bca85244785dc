/** List of job types in a stable order. */
import { useState } from 'react'
import { formatNumber } from '../../lib/format-number.ts'
import { Button } from '../../ui/Button.tsx'
import { Skeleton } from '../../ui/Skeleton.tsx'
import type { Order } from './sort-order.ts'
import { COLUMNS, TypeRow } from './TypeRow.tsx'
import { useOrdered } from './use-ordered.ts'
import { usePause } from './use-pause.ts'
import type { useTypes } from './use-types.ts'

/** Rows shown at a time: each has two charts, and thousands would block the page. */
const PAGE_SIZE = 100

interface TypeListProps extends ReturnType<typeof useTypes> {
  readonly search: string
  readonly order: Order
  readonly onEdit: (name: string) => void
}

export function TypeList({ rows, hasCounts, hasFlow, search, order, onEdit }: TypeListProps) {
  const { pause, resume } = usePause()
  const [limit, setLimit] = useState(PAGE_SIZE)
  const ordered = useOrdered(rows, order, hasCounts && hasFlow)
  const found = ordered?.filter(({ type }) => type.name.toLowerCase().includes(search.toLowerCase()))
  return (
    <div className="overflow-clip rounded-lg bg-surface ring-1 ring-line">
      <div aria-hidden="true" className={`${COLUMNS} hidden h-8 border-line border-b text-muted text-xs lg:grid`}>
        <span>Type and limits</span>
        <span className="text-right">Backlog</span>
        <span className="text-right">Oldest waiting job</span>
        <span className="text-right">Completed/min</span>
        <span className="text-right">Failure rate</span>
        <span />
      </div>
      <ul aria-label="Types" aria-busy={!found} className="divide-y divide-line/60">
        {found
          ?.slice(0, limit)
          .map((entry) => (
            <TypeRow
              key={entry.type.name}
              entry={entry}
              hasCounts={hasCounts}
              hasFlow={hasFlow}
              onPause={() => pause(entry.type.name)}
              onResume={() => resume(entry.type.name)}
              onEdit={() => onEdit(entry.type.name)}
            />
          )) ?? [1, 2, 3, 4].map((n) => <SkeletonType key={n} />)}
      </ul>
      {found && found.length > limit && (
        <p className="flex flex-wrap items-center gap-3 border-line border-t px-4 py-3 text-muted sm:px-5">
          {formatNumber(limit)} of {formatNumber(found.length)} types
          <Button isSmall onClick={() => setLimit(limit + PAGE_SIZE)}>
            Show {formatNumber(Math.min(PAGE_SIZE, found.length - limit))} more
          </Button>
        </p>
      )}
      {found?.length === 0 && <p className="p-5 text-muted">No type name contains “{search}”.</p>}
    </div>
  )
}

function SkeletonType() {
  return (
    <li aria-hidden="true" className="flex min-h-15 items-center gap-4 px-4 sm:px-5">
      <Skeleton className="h-8 w-2/5" />
      <Skeleton className="ml-auto h-6 w-40" />
    </li>
  )
}
