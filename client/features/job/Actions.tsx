/** Actions that the job's status allows. */
import { useState } from 'react'
import { Link } from 'wouter'
import { isSetAside } from '../../../shared/lifecycle.ts'
import { RESERVED_PREFIX } from '../../../shared/reserved-types.ts'
import { useHasScope } from '../../session/use-session.ts'
import { Button } from '../../ui/Button.tsx'
import { Confirm } from '../../ui/Confirm.tsx'
import type { JobData } from './use-job.ts'
import { canCancel, canDelete, canRetry, canRunNow, useJobActions } from './use-job-actions.ts'

export function Actions({ job }: { job: JobData }) {
  const actions = useJobActions(job)
  const mayEnqueue = useHasScope('produce')
  const [isDeleting, setIsDeleting] = useState(false)
  const [isRetrying, setIsRetrying] = useState(false)
  const { status } = job
  const isAside = isSetAside(job)
  return (
    <div className="flex flex-wrap gap-2">
      {canRunNow(status) && (
        <Button
          weight="strong"
          needs="admin"
          disabled={actions.isBusy}
          onClick={actions.runNow}
          title="Skip the remaining delay"
        >
          Run now
        </Button>
      )}
      {canRetry(status) && (
        <Button
          needs="admin"
          weight={status === 'retrying' || isAside ? 'plain' : 'strong'}
          disabled={actions.isBusy}
          onClick={isAside ? () => setIsRetrying(true) : actions.retry}
          title="Reset the attempts and run again"
        >
          {isAside ? 'Retry…' : 'Retry'}
        </Button>
      )}
      {canCancel(job) && (
        <Button needs="admin" disabled={actions.isBusy} onClick={actions.cancel}>
          Cancel
        </Button>
      )}
      {mayEnqueue && !job.type.startsWith(RESERVED_PREFIX) && (
        <Link
          href={`/new?from=${job.id}`}
          title="Edit and enqueue as a new job"
          className="inline-flex h-8 items-center rounded-md bg-raised px-3 font-medium transition-colors hover:bg-line"
        >
          Clone
        </Link>
      )}
      {canDelete(status) && (
        <Button weight="quiet" needs="admin" disabled={actions.isBusy} onClick={() => setIsDeleting(true)}>
          Delete
        </Button>
      )}
      <Confirm
        title="Retry a job that was set aside?"
        description={`Workers crashed ${job.crashes} times while running this job. A retry may crash a worker again, and with it the other jobs that it runs.`}
        action="Retry job"
        isOpen={isRetrying}
        onConfirm={actions.retry}
        onClose={() => setIsRetrying(false)}
      />
      <Confirm
        title="Delete this job?"
        description={`The ${job.type} job is permanently deleted, with its attempts, log and result.`}
        action="Delete job"
        isOpen={isDeleting}
        onConfirm={actions.remove}
        onClose={() => setIsDeleting(false)}
      />
    </div>
  )
}
