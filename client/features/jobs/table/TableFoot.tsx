/** Footer of the table: row count, export link and "Load more". */
import { Link } from 'wouter'
import { formatNumber } from '../../../lib/format-number.ts'
import { type ListScope, matchesScope } from '../../../live/live-list.ts'
import type { LiveListHandle } from '../../../live/use-live-list.ts'
import { Button } from '../../../ui/Button.tsx'
import { useJobsUrl } from '../use-jobs-url.ts'

export interface TableFootProps {
  readonly live: LiveListHandle
  readonly scope: ListScope
}

export function TableFoot({ live: { list, query, isLoadingMore, loadMore }, scope }: TableFootProps) {
  const { text } = useJobsUrl()
  if (!list || (list.rows.length === 0 && list.nextCursor === null)) return null
  const { rows, removed, total, nextCursor } = list
  const mismatched = rows.filter((job) => removed.has(job.id) || !matchesScope(scope, job)).length
  const params = new URLSearchParams({ tab: 'export', ...(text !== '' && { q: text }) })
  return (
    <div className="flex min-h-12 items-center justify-between gap-3 px-4 text-muted text-xs sm:px-5">
      <p data-testid="shown">
        {formatNumber(rows.length)} shown
        {total !== null
          ? ` of ${formatNumber(total)}`
          : nextCursor === null && mismatched === 0
            ? ', all that match'
            : ''}
        {mismatched > 0 && `, ${formatNumber(mismatched)} no longer ${mismatched === 1 ? 'matches' : 'match'}`}
        {query.error && <span role="status"> · could not refresh; retrying</span>}
      </p>
      <Link href={`/settings?${params}`} className="ml-auto underline underline-offset-2 hover:text-ink">
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
