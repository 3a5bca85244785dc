/** Rows of the Jobs table: live (live/use-live-list.ts), with selection, actions and "Load more". */
import { useRef, useState } from 'react'
import type { ParsedFilter } from '../../../lib/filter/filter.ts'
import { canApply } from '../../../lib/job-actions.ts'
import { toasts } from '../../../lib/toasts.ts'
import type { Counted } from '../../../live/bulk/count-matches.ts'
import { useMatchCount } from '../../../live/bulk/use-match-count.ts'
import { matchesScope } from '../../../live/live-list.ts'
import { useHeld } from '../../../live/use-held.ts'
import { useLiveList } from '../../../live/use-live-list.ts'
import { missingScopeMessage, useHasScope } from '../../../session/use-session.ts'
import { FailedToLoad } from '../../../ui/FailedToLoad.tsx'
import { NewJobsPill } from '../../../ui/job/NewJobsPill.tsx'
import { useAction } from '../list/use-action.ts'
import { useRowActions } from '../list/use-row-actions.ts'
import { ConfirmAction } from './ConfirmAction.tsx'
import { JobLine, SkeletonLine } from './JobLine.tsx'
import { NoMatch } from './NoMatch.tsx'
import { SelectionBar } from './SelectionBar.tsx'
import { TableFoot } from './TableFoot.tsx'
import { TableHead } from './TableHead.tsx'
import { useBulkAction } from './use-bulk-action.ts'
import { useSelection } from './use-selection.ts'

const SIZE = 50
const READ_EVERY_MS = 1_000
/** Searches read payloads, so they run less often. */
const SEARCH_EVERY_MS = 5_000
const SKELETON = Array.from({ length: 12 }, (_, place) => place)

export interface JobsTableProps {
  readonly text: string
  readonly filter: ParsedFilter
  readonly onApply: (text: string) => void
}

export function JobsTable({ text, filter, onApply }: JobsTableProps) {
  const isAdmin = useHasScope('admin')
  const area = useRef<HTMLDivElement>(null)
  const [isSelecting, setIsSelecting] = useState(false)
  const live = useLiveList({
    name: text,
    filter: filter.toJobFilter,
    type: filter.type,
    statuses: filter.statuses,
    page: null,
    size: SIZE,
    everyMs: filter.isSlow ? SEARCH_EVERY_MS : READ_EVERY_MS,
    isHeld: useHeld(area) || isSelecting,
  })
  const { query, list } = live
  const runAction = useAction(live)
  const { selection, select, clear, ...selecting } = useSelection(text, live.isLoaded ? list : undefined)
  const hasSelection = selection.ids.size > 0
  // Selected rows must not move out of view.
  if (hasSelection !== isSelecting) setIsSelecting(hasSelection)
  const selected = list?.rows.filter(({ id }) => selection.ids.has(id) && !list.removed.has(id)) ?? []

  const bulk = useBulkAction({ filter, isAll: selection.isAll, rows: selected, clear })

  // The list has a total unless it needs a search.
  const listed = list?.total ?? null
  const matches = useMatchCount(selection.isAll && listed === null ? text : null, bulk.currentFilter)
  const total: Counted | null = listed === null ? matches.counted : { count: listed, state: 'exact' }

  useRowActions(area, {
    select,
    clear,
    retry: (id) => {
      if (!isAdmin) return void toasts.showError(missingScopeMessage('admin'))
      const job = list?.rows.find((row) => row.id === id)
      if (hasSelection && bulk.isAvailable('retry')) bulk.run('retry')
      else if (!hasSelection && job && canApply('retry', job)) void runAction('retry', job)
    },
  })

  return (
    <div>
      <div ref={area} className="relative">
        {list && <NewJobsPill count={list.waiting} isMore={list.isWaitingMore} onShow={live.showWaiting} />}
        {query.error && !list && (
          <FailedToLoad what="these jobs" error={query.error} onRetry={() => void query.refetch()} />
        )}
        <div hidden={query.error !== null && !list} className="overflow-clip rounded-lg bg-surface ring-1 ring-line">
          <TableHead
            isChecked={selecting.isEveryRow}
            isPartly={hasSelection}
            onToggle={() => (selecting.isEveryRow ? clear() : selecting.selectShown())}
          />
          {live.isLoaded && list?.rows.length === 0 && list.nextCursor === null ? (
            <NoMatch text={text} filter={filter} onApply={onApply} />
          ) : (
            <ul aria-label="Jobs" aria-busy={!live.isLoaded} className="divide-y divide-line/60">
              {list?.rows.map((job) => (
                <JobLine
                  key={job.id}
                  job={job}
                  isRemoved={list.removed.has(job.id)}
                  isMismatched={query.isPlaceholderData || !matchesScope(filter, job)}
                  isSelected={selection.ids.has(job.id)}
                  onSelect={select}
                />
              )) ?? SKELETON.map((place) => <SkeletonLine key={place} />)}
            </ul>
          )}
        </div>
        <TableFoot live={live} scope={filter} />
      </div>
      <SelectionBar
        selection={selection}
        total={total}
        problem={matches.error instanceof Error ? matches.error.message : null}
        hasMore={list !== undefined && (list.nextCursor !== null || !selecting.isEveryRow)}
        isAvailable={bulk.isAvailable}
        onAction={bulk.run}
        onAll={selecting.selectAll}
        onClear={clear}
      />
      <ConfirmAction confirmation={bulk.confirmation} text={text} onConfirm={bulk.start} onClose={bulk.close} />
    </div>
  )
}
