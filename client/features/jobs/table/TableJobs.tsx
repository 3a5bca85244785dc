/** The rows that match: they change in place, more are loaded on demand, and new ones wait while the reader is busy. */
import { useRef, useState } from 'react'
import { lacks, useMay } from '../../../session/use-session.ts'
import { FailedToLoad } from '../../../ui/FailedToLoad.tsx'
import { NewJobsPill } from '../../../ui/NewJobsPill.tsx'
import { toasts } from '../../../ui/toasts.ts'
import type { Counted } from '../bulk/count-matches.ts'
import { useMatchCount } from '../bulk/use-match-count.ts'
import type { ReadFilter } from '../filter/filter.ts'
import { isPossible } from '../list/actions.ts'
import { belongs } from '../list/live-list.ts'
import { useAct } from '../list/use-action.ts'
import { useLiveList } from '../list/use-live-list.ts'
import { usePinned } from '../list/use-pinned.ts'
import { useRowActs } from '../list/use-row-actions.ts'
import { ConfirmAct } from './ConfirmAction.tsx'
import { JobLine, SkeletonLine } from './JobLine.tsx'
import { NoMatch } from './NoMatch.tsx'
import { SelectionBar } from './SelectionBar.tsx'
import { TableFoot } from './TableFoot.tsx'
import { TableHead } from './TableHead.tsx'
import { useBulkAct } from './use-bulk-action.ts'
import { useSelection } from './use-selection.ts'

const SIZE = 50
const READ_EVERY_MS = 1_000
/** Payloads are read for it. */
const SEARCH_EVERY_MS = 5_000
const SKELETON = Array.from({ length: 12 }, (_, place) => place)

export interface TableJobsProps {
  readonly text: string
  readonly filter: ReadFilter
  readonly onAsk: (text: string) => void
}

export function TableJobs({ text, filter, onAsk }: TableJobsProps) {
  const mayAct = useMay('admin')
  const area = useRef<HTMLDivElement>(null)
  const [isBusy, setIsBusy] = useState(false)
  const live = useLiveList({
    name: text,
    filter: filter.at,
    type: filter.type,
    statuses: filter.statuses,
    page: null,
    size: SIZE,
    everyMs: filter.isSlow ? SEARCH_EVERY_MS : READ_EVERY_MS,
    isHeld: usePinned(area) || isBusy,
  })
  const { query, list } = live
  const run = useAct(live)
  const { selection, choose, clear, ...choosing } = useSelection(text, live.isLoaded ? list : undefined)
  const isChoosing = selection.ids.size > 0
  // Rows that are chosen stay under the eyes of who chose them.
  if (isChoosing !== isBusy) setIsBusy(isChoosing)
  const chosen = list?.rows.filter(({ id }) => selection.ids.has(id) && !list.removed.has(id)) ?? []

  const bulk = useBulkAct({ filter, isAll: selection.isAll, rows: chosen, clear })

  // The list knows its total where that costs no search.
  const listed = list?.total ?? null
  const matches = useMatchCount(selection.isAll && listed === null ? text : null, bulk.matching)
  const total: Counted | null = listed === null ? matches.counted : { count: listed, state: 'exact' }

  useRowActs(area, {
    choose,
    clear,
    retry: (id) => {
      if (!mayAct) return void toasts.complain(lacks('admin'))
      const job = list?.rows.find((row) => row.id === id)
      if (isChoosing && bulk.isOffered('retry')) bulk.act('retry')
      else if (!isChoosing && job && isPossible('retry', job)) void run('retry', job)
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
            isChecked={choosing.isEveryRow}
            isPartly={isChoosing}
            onToggle={() => (choosing.isEveryRow ? clear() : choosing.chooseShown())}
          />
          {live.isLoaded && list?.rows.length === 0 && list.nextCursor === null ? (
            <NoMatch text={text} filter={filter} onAsk={onAsk} />
          ) : (
            <ul aria-label="Jobs" aria-busy={!live.isLoaded} className="divide-y divide-line/60">
              {list?.rows.map((job) => (
                <JobLine
                  key={job.id}
                  job={job}
                  isRemoved={list.removed.has(job.id)}
                  isElsewhere={query.isPlaceholderData || !belongs(filter, job)}
                  isChosen={selection.ids.has(job.id)}
                  onChoose={choose}
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
        trouble={matches.error instanceof Error ? matches.error.message : null}
        hasMore={list !== undefined && (list.nextCursor !== null || !choosing.isEveryRow)}
        isOffered={bulk.isOffered}
        onAct={bulk.act}
        onAll={choosing.chooseAll}
        onClear={clear}
      />
      <ConfirmAct question={bulk.question} text={text} onConfirm={bulk.start} onClose={bulk.close} />
    </div>
  )
}
