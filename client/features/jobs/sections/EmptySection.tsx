/** Empty state of a section, with a hint how to fill it. */
import { Link } from 'wouter'
import type { StatusCounts } from '../../../../shared/status.ts'
import { addressOf } from '../../../lib/api.ts'
import { formatNumber } from '../../../lib/format-number.ts'
import { CopyBlock } from '../../../ui/CopyBlock.tsx'
import { countOf, type JobGroup } from '../groups.ts'
import type { JobsUrl } from '../use-jobs-url.ts'

export interface EmptySectionProps {
  readonly group: JobGroup
  readonly counts: StatusCounts | undefined
  readonly url: JobsUrl
}

export function EmptySection({ group, counts, url }: EmptySectionProps) {
  const page = url.pageOf(group.name)
  const count = counts ? countOf(group, counts) : 0
  if (group.name === 'processing' && page === 1 && counts && counts.pending > 0) {
    return (
      <div className="px-4 py-3 sm:px-5">
        <p className="mb-1 text-muted">
          No jobs are running; {formatNumber(counts.pending)} {counts.pending === 1 ? 'job is' : 'jobs are'} waiting.
          Start a worker, or claim one job by hand:
        </p>
        <CopyBlock label="Claim with curl" code={claimLine()} />
      </div>
    )
  }
  return (
    <p className="px-4 py-4 text-muted sm:px-5">
      {page === 1 ? (
        group.emptyText
      ) : (
        <>
          Page {formatNumber(page)} {count > 0 ? 'no longer exists' : 'does not exist'}.{' '}
          <Link href={url.address({ [group.name]: null })} className="text-ink underline underline-offset-2">
            Go to the first page
          </Link>
        </>
      )}
    </p>
  )
}

function claimLine(): string {
  const body = JSON.stringify({ worker: 'me' })
  return `curl -X POST ${addressOf('trpc/claim')} -H 'content-type: application/json' -d '${body}'`
}
