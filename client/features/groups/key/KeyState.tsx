/** State of a key in one sentence, with the way out where it needs an operator. */
import { Link } from 'wouter'
import type { GroupKeyRow } from '../../../../shared/groups/records.ts'
import { useNow } from '../../../live/use-now.ts'
import { Age } from '../../../ui/Age.tsx'
import { Button } from '../../../ui/Button.tsx'
import { stateText } from '../key-state.ts'
import { useGroupActions } from '../rules/use-group-actions.ts'

export function KeyState({ row }: { row: GroupKeyRow }) {
  const now = useNow()
  const { proceed, isBusy } = useGroupActions()
  const { name, key, stopped, blocked, processing } = row
  const tone = stopped !== null ? 'failed' : blocked > 0 ? 'blocked' : processing > 0 ? 'processing' : 'cancelled'
  return (
    <div
      data-tone={tone}
      className="mb-4 flex flex-wrap items-center justify-between gap-x-4 gap-y-2 rounded-lg bg-tone/8 px-4 py-2.5 ring-1 ring-tone/20 ring-inset sm:px-5"
    >
      <div className="min-w-0">
        <p className="text-muted text-xs">Current state</p>
        <p data-testid="key-state" className="wrap-anywhere">
          {stateText(row, now)}
        </p>
        {stopped !== null && (
          <p className="text-muted">
            <StoppedBy jobId={stopped.jobId} /> failed for good <Age at={stopped.at} />. Retry or delete it, or continue
            with the next job.
          </p>
        )}
      </div>
      {stopped !== null && (
        <Button
          weight="strong"
          needs="admin"
          disabled={isBusy}
          onClick={() => proceed(name, key)}
          aria-label={`Continue ${key}`}
        >
          Continue
        </Button>
      )}
    </div>
  )
}

function StoppedBy({ jobId }: { jobId: string | null }) {
  if (jobId === null) return 'A job'
  return (
    <>
      Job{' '}
      <Link href={`/jobs/${jobId}`} className="font-mono text-ink text-xs underline underline-offset-3">
        {jobId.slice(-8)}
      </Link>
    </>
  )
}
