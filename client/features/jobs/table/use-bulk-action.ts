/** Bulk actions on the selected rows or all matching jobs, with confirmation for large ones. */
import { useRef, useState } from 'react'
import type { JobFilter } from '../../../../shared/contracts/observe.ts'
import type { JobSummary } from '../../../../shared/job.ts'
import { limits } from '../../../../shared/limits.ts'
import { api } from '../../../lib/api.ts'
import type { ParsedFilter } from '../../../lib/filter/filter.ts'
import { formatNumber } from '../../../lib/format-number.ts'
import { type Action, canApply, unavailableReason } from '../../../lib/job-actions.ts'
import { toasts } from '../../../lib/toasts.ts'
import { narrowFilter } from '../../../live/bulk/bulk.ts'
import { bulks } from '../../../live/bulk/bulks.ts'
import { type Counted, countMatches } from '../../../live/bulk/count-matches.ts'
import { useLive } from '../../../live/use-live.ts'

/** Actions on more jobs than this need a confirmation. */
const MANY = 1_000

export interface Confirmation {
  readonly action: Action
  readonly filter: JobFilter
  /** Number of affected jobs. */
  readonly counted: Counted
  /** All matching jobs, not only the selected rows. */
  readonly isAll: boolean
  /** Running jobs may be among them. */
  readonly mayIncludeRunning: boolean
}

export interface Selected {
  readonly filter: ParsedFilter
  readonly isAll: boolean
  /** Selected rows in view. */
  readonly rows: readonly JobSummary[]
  readonly clear: () => void
}

export function useBulkAction({ filter, isAll, rows, clear }: Selected) {
  const { client } = api.useUtils()
  const { feed } = useLive()
  const [confirmation, setConfirmation] = useState<Confirmation | null>(null)
  const counting = useRef<AbortController>(null)
  const currentFilter = () => filter.toJobFilter(Date.now() + feed.clockOffsetMs)

  function start({ action, filter: affected, counted }: Confirmation): void {
    void bulks.start(client, action, affected, counted.state === 'exact' ? counted.count : null)
    clear()
  }

  function close(): void {
    counting.current?.abort()
    counting.current = null
    setConfirmation(null)
  }

  function runOnRows(action: Action): void {
    const ids = rows.filter((job) => canApply(action, job)).map(({ id }) => id)
    if (ids.length > limits.filterIds) {
      toasts.showError(`Select at most ${formatNumber(limits.filterIds)} rows, or all matching jobs.`)
      return
    }
    const named = { ids, ...(filter.type !== null && { type: filter.type }) }
    const counted: Counted = { count: ids.length, state: 'exact' }
    const confirmed = { action, filter: named, counted, isAll, mayIncludeRunning: false }
    if (action === 'remove') setConfirmation(confirmed)
    else start(confirmed)
  }

  /** Starts at once for few jobs. Asks first when there are many, or when counting takes long. */
  async function runOnAll(action: Action): Promise<void> {
    if (counting.current) return
    const all = currentFilter()
    const narrowed = narrowFilter(action, all)
    if (narrowed === null) return void toasts.showError(unavailableReason(action))
    const abort = new AbortController()
    counting.current = abort
    const mayIncludeRunning = all.status?.includes('processing') ?? true
    const withCount = (counted: Counted): Confirmation => ({ action, filter: all, counted, isAll, mayIncludeRunning })
    let isOpen = false
    const onPart = (counted: Counted) => {
      if (abort.signal.aborted) return
      isOpen = true
      setConfirmation(withCount(counted))
    }
    try {
      const counted = await countMatches(client, narrowed, { signal: abort.signal, onPart })
      if (abort.signal.aborted) return
      const needsConfirmation = action === 'remove' || action === 'cancel' || counted.count > MANY
      if (counted.state === 'exact' && counted.count === 0) {
        toasts.showError(unavailableReason(action))
        setConfirmation(null)
      } else if (needsConfirmation || isOpen || counted.state !== 'exact') setConfirmation(withCount(counted))
      else start(withCount(counted))
    } catch (error) {
      if (abort.signal.aborted) return
      toasts.showError(error)
      setConfirmation(null)
    } finally {
      if (counting.current === abort) counting.current = null
    }
  }

  return {
    confirmation,
    start,
    close,
    currentFilter,
    isAvailable: (action: Action) =>
      isAll ? narrowFilter(action, currentFilter()) !== null : rows.some((job) => canApply(action, job)),
    run: (action: Action) => (isAll ? void runOnAll(action) : runOnRows(action)),
  }
}
