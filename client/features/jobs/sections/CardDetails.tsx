/** When a job was created and processed, how often it was tried, and by whom, on one line. */
import type { ReactNode } from 'react'
import type { JobSummary } from '../../../../shared/job.ts'
import { measured } from '../../../lib/format-duration.ts'
import { Until } from '../../../ui/Age.tsx'
import { Ago } from '../Ago.tsx'

export function CardFacts({ job, withError }: { job: JobSummary; withError: boolean }) {
  const { createdAt, attempts, maxAttempts, lockedBy, priority, error, progress, status, cancelRequestedAt } = job
  return (
    <p className="col-span-2 h-5 truncate text-muted text-xs/5">
      created <Ago at={createdAt} />
      <Fact>{processed(job)}</Fact>
      {attempts > 0 && (
        <Fact>
          {maxAttempts === null
            ? `${attempts} ${attempts === 1 ? 'attempt' : 'attempts'}`
            : `attempt ${attempts} of ${maxAttempts}`}
        </Fact>
      )}
      {priority !== 0 && <Fact>priority {priority}</Fact>}
      {progress !== null && status === 'processing' && (
        <span className="sm:hidden">
          <Fact>{Math.round(progress)}%</Fact>
        </span>
      )}
      {cancelRequestedAt !== null && <Fact>asked to stop</Fact>}
      {lockedBy !== null && <Fact>{lockedBy}</Fact>}
      {withError && error !== null && <Fact>{error}</Fact>}
    </p>
  )
}

function Fact({ children }: { children: ReactNode }) {
  return (
    children && (
      <>
        <span className="mx-1.5 text-faint">·</span>
        {children}
      </>
    )
  )
}

function processed({ status, runAt, startedAt, finishedAt }: JobSummary): ReactNode {
  if (status === 'scheduled' || status === 'retrying') {
    return (
      <>
        {status === 'retrying' ? 'again ' : 'due '}
        <Until at={runAt} />
      </>
    )
  }
  if (finishedAt !== null) {
    return (
      <>
        {status === 'completed' ? 'processed' : status} <Ago at={finishedAt} />
        {startedAt !== null && ` in ${measured(finishedAt - startedAt)}`}
      </>
    )
  }
  if (status !== 'processing' || startedAt === null) return null
  return (
    <>
      started <Ago at={startedAt} />
    </>
  )
}
