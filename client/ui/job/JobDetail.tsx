/** Most relevant detail of a job for its status, in one line. */
import type { JobSummary } from '../../../shared/job.ts'
import { measured } from '../../lib/format-duration.ts'
import { Until } from '../Age.tsx'
import { Progress } from '../Progress.tsx'

export function JobDetail({ job }: { job: JobSummary }) {
  const { status, groupName, groupKey, error, progress, lockedBy, runAt, startedAt, finishedAt, cancelRequestedAt } =
    job
  switch (status) {
    case 'scheduled':
      return (
        <Line>
          due <Until at={runAt} />
        </Line>
      )
    case 'blocked':
      return groupKey !== null && <Line title={`${groupName} / ${groupKey}`}>waits for key {groupKey}</Line>
    case 'processing':
      return (
        <span className="flex min-w-0 items-center gap-3">
          {progress !== null && <Progress percent={progress} />}
          <span className={progress === null ? 'min-w-0' : 'hidden min-w-0 sm:block'}>
            <Line>{cancelRequestedAt === null ? lockedBy : 'cancel requested'}</Line>
          </span>
        </span>
      )
    case 'retrying':
      return (
        <Line title={error}>
          retry <Until at={runAt} />
          {error && ` · ${error}`}
        </Line>
      )
    case 'completed':
      return startedAt !== null && finishedAt !== null && <Line>took {measured(finishedAt - startedAt)}</Line>
    default:
      return (
        error && (
          <Line title={error}>
            <span className={status === 'failed' ? 'text-ink' : ''}>{error}</span>
          </Line>
        )
      )
  }
}

/** Shows the first line; the tooltip has the rest. */
function Line({ title = null, children }: { title?: string | null; children: React.ReactNode }) {
  return (
    <span className="block truncate" title={title ?? undefined}>
      {children}
    </span>
  )
}
