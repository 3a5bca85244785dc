/** What can be done to the job in its present state. */
import { useState } from 'react'
import { Link } from 'wouter'
import { isSetAside } from '../../../shared/lifecycle.ts'
import { OWN_TYPES } from '../../../shared/reserved-types.ts'
import { useMay } from '../../session/use-session.ts'
import { Button } from '../../ui/Button.tsx'
import { Confirm } from '../../ui/Confirm.tsx'
import type { JobData } from './use-job.ts'
import { mayCancel, mayRemove, mayRetry, mayRunNow, useActs } from './use-job-actions.ts'

export function Actions({ job }: { job: JobData }) {
  const acts = useActs(job)
  const mayEnqueue = useMay('produce')
  const [isAsking, setIsAsking] = useState(false)
  const [isWarning, setIsWarning] = useState(false)
  const { status } = job
  const isCrasher = isSetAside(job)
  return (
    <div className="flex flex-wrap gap-2">
      {mayRunNow(status) && (
        <Button
          weight="strong"
          needs="admin"
          disabled={acts.isBusy}
          onClick={acts.runNow}
          title="Do not wait any longer"
        >
          Run now
        </Button>
      )}
      {mayRetry(status) && (
        <Button
          needs="admin"
          weight={status === 'retrying' || isCrasher ? 'plain' : 'strong'}
          disabled={acts.isBusy}
          onClick={isCrasher ? () => setIsWarning(true) : acts.retry}
          title="Start over, from the first attempt"
        >
          {isCrasher ? 'Retry…' : 'Retry'}
        </Button>
      )}
      {mayCancel(job) && (
        <Button needs="admin" disabled={acts.isBusy} onClick={acts.cancel}>
          Cancel
        </Button>
      )}
      {mayEnqueue && !job.type.startsWith(OWN_TYPES) && (
        <Link
          href={`/new?from=${job.id}`}
          title="Change what you like and enqueue it as a new job"
          className="inline-flex h-8 items-center rounded-md bg-raised px-3 font-medium transition-colors hover:bg-line"
        >
          Clone
        </Link>
      )}
      {mayRemove(status) && (
        <Button weight="quiet" needs="admin" disabled={acts.isBusy} onClick={() => setIsAsking(true)}>
          Delete
        </Button>
      )}
      <Confirm
        title="Retry a job that crashes its worker?"
        description={`Its worker crashed ${job.crashes} times while running it. The retry starts over and may crash a worker, with the jobs that run beside it, again.`}
        act="Retry it"
        isOpen={isWarning}
        onConfirm={acts.retry}
        onClose={() => setIsWarning(false)}
      />
      <Confirm
        title="Delete this job?"
        description={`${job.type} and its attempts, log and result are removed for good.`}
        act="Delete it"
        isOpen={isAsking}
        onConfirm={acts.remove}
        onClose={() => setIsAsking(false)}
      />
    </div>
  )
}
