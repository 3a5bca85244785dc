/** Page for a job that was removed or never existed, and for a malformed id. */
import { Link } from 'wouter'
import { lastJobsAddress } from '../../lib/jobs-address.ts'
import { Panel } from '../../ui/Panel.tsx'

export function JobNotFound({ id, type }: { id: string; type: string | undefined }) {
  return (
    <Panel isPage title={type === undefined ? 'Job not found' : `This ${type} job was removed`}>
      <p className="mb-3 max-w-prose text-muted">
        {type === undefined && 'The ID in the address may be wrong, or the job was removed. '}A job is removed by a
        delete, or when its retention time has passed.
      </p>
      <p className="mb-4 font-mono text-muted text-xs wrap-anywhere">{id}</p>
      <Link
        href={lastJobsAddress()}
        className="inline-flex h-8 items-center rounded-md bg-raised px-3 font-medium hover:bg-line"
      >
        Back to jobs
      </Link>
    </Panel>
  )
}
