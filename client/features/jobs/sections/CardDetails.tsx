/** Times, attempts, priority and worker of a job, in one line. */
import type { ReactNode } from 'react'
import type { JobSummary } from '../../../../shared/job.ts'
import { measured } from '../../../lib/format-duration.ts'
import { Age, Until } from '../../../ui/Age.tsx'

export function CardDetails({ job, withError }: { job: JobSummary; withError: boolean }) {
  const { createdAt, groupKey, attempts, maxAttempts, lockedBy, priority, error, progress, status, cancelRequestedAt } =
    job
  return (
    <p className="col-span-2 h-5 truncate text-muted text-xs/5">
      created <Age at={createdAt} />
      <Detail>{timing(job)}</Detail>
      {attempts > 0 && (
        <Detail>
          {maxAttempts === null
            ? `${attempts} ${attempts === 1 ? 'attempt' : 'attempts'}`
            : `attempt ${attempts} of ${maxAttempts}`}
        </Detail>
      )}
      {groupKey !== null && <Detail>key {groupKey}</Detail>}
      {priority !== 0 && <Detail>priority {priority}</Detail>}
      {progress !== null && status === 'processing' && (
        <span className="sm:hidden">
          <Detail>{Math.round(progress)}%</Detail>
        </span>
      )}
      {cancelRequestedAt !== null && <Detail>cancel requested</Detail>}
      {lockedBy !== null && <Detail>{lockedBy}</Detail>}
      {withError && error !== null && <Detail>{error}</Detail>}
    </p>
  )
}

function Detail({ children }: { children: ReactNode }) {
  return (
    children && (
      <>
        <span className="mx-1.5 text-faint">·</span>
        {children}
      </>
    )
  )
}

function timing({ status, runAt, startedAt, finishedAt }: JobSummary): ReactNode {
  if (status === 'scheduled' || status === 'retrying') {
    return (
      <>
        {status === 'retrying' ? 'retry ' : 'due '}
        <Until at={runAt} />
      </>
    )
  }
  if (finishedAt !== null) {
    return (
      <>
        {status === 'completed' ? 'processed' : status} <Age at={finishedAt} />
        {startedAt !== null && ` in ${measured(finishedAt - startedAt)}`}
      </>
    )
  }
  if (status !== 'processing' || startedAt === null) return null
  return (
    <>
      started <Age at={startedAt} />
    </>
  )
}
