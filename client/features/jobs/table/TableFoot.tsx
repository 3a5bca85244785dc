/** How many rows are in view, and more of them on demand. */
import { Link } from 'wouter'
import { formatNumber } from '../../../lib/format-number.ts'
import { Button } from '../../../ui/Button.tsx'
import { belongs, type Scope } from '../list/live-list.ts'
import type { LiveListHandle } from '../list/use-live-list.ts'
import { useJobsUrl } from '../use-jobs-url.ts'

export interface TableFootProps {
  readonly live: LiveListHandle
  readonly scope: Scope
}

export function TableFoot({ live: { list, query, isLoadingMore, loadMore }, scope }: TableFootProps) {
  const { text } = useJobsUrl()
  if (!list || (list.rows.length === 0 && list.nextCursor === null)) return null
  const { rows, removed, total, nextCursor } = list
  const moved = rows.filter((job) => removed.has(job.id) || !belongs(scope, job)).length
  const wanted = new URLSearchParams({ tab: 'export', ...(text !== '' && { q: text }) })
  return (
    <div className="flex min-h-12 items-center justify-between gap-3 px-4 text-muted text-xs sm:px-5">
      <p data-testid="shown">
        {formatNumber(rows.length)} shown
        {total !== null ? ` of ${formatNumber(total)}` : nextCursor === null && moved === 0 ? ', all that match' : ''}
        {moved > 0 && `, ${formatNumber(moved)} of them ${moved === 1 ? 'has' : 'have'} moved on`}
        {query.error && <span role="status"> · could not refresh, trying again</span>}
      </p>
      <Link href={`/settings?${wanted}`} className="ml-auto underline underline-offset-2 hover:text-ink">
        Export
      </Link>
      {nextCursor !== null && (
        <Button isSmall disabled={isLoadingMore} onClick={() => void loadMore()}>
          {isLoadingMore ? 'Loading…' : total === null && rows.length === 0 ? 'Search further' : 'Load more'}
        </Button>
      )}
    </div>
  )
}
