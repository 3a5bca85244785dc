/** Stands where there is no such job, or no longer. */
import { Link } from 'wouter'
import { lastJobsAddress } from '../../lib/jobs-address.ts'
import { Panel } from '../../ui/Panel.tsx'

export function Gone({ id, type }: { id: string; type: string | undefined }) {
  return (
    <Panel isPage title={type === undefined ? 'There is no such job' : `This ${type} job is gone`}>
      <p className="mb-3 max-w-prose text-muted">
        {type === undefined ? 'The address may be wrong, or somebody' : 'Somebody'} deleted it, or it was finished for
        so long that the queue forgot it: finished jobs are kept as long as the setting for retention says.
      </p>
      <p className="mb-4 font-mono text-muted text-xs wrap-anywhere">{id}</p>
      <Link
        href={lastJobsAddress()}
        className="inline-flex h-8 items-center rounded-md bg-raised px-3 font-medium hover:bg-line"
      >
        Back to the jobs
      </Link>
    </Panel>
  )
}
