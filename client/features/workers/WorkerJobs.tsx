/** Jobs that a worker is running. */
import { Link } from 'wouter'
import { api } from '../../lib/api.ts'
import { tableAddress } from '../../lib/jobs-address.ts'
import { useFrames } from '../../live/use-live.ts'
import { usePaced } from '../../live/use-paced.ts'
import { Age } from '../../ui/Age.tsx'
import { StatusPill } from '../../ui/job/StatusPill.tsx'
import { Progress } from '../../ui/Progress.tsx'
import { Skeleton } from '../../ui/Skeleton.tsx'

const READ_EVERY_MS = 1_000
const SHOWN = 20

export function WorkerJobs({ name }: { name: string }) {
  const query = api.list.useQuery({ worker: name, status: ['processing'], limit: SHOWN })
  const refresh = usePaced(query, READ_EVERY_MS)
  useFrames(({ total, refetch }) => {
    if (total > 0 || refetch) refresh()
  })
  const { data, error } = query
  if (error && !data)
    return (
      <p role="alert" className="px-4 pb-3 text-muted sm:px-5">
        {error.message}
      </p>
    )
  if (!data) return <Skeleton className="mx-4 mb-3 h-8 w-1/2 sm:mx-5" />
  return (
    <div className="px-4 pb-3 sm:px-5">
      {data.jobs.length === 0 && <p className="text-muted">This worker is running no jobs.</p>}
      <ul aria-label={`Jobs of ${name}`} hidden={data.jobs.length === 0} className="grid rounded-md bg-canvas py-1">
        {data.jobs.map(({ id, type, status, progress, startedAt }) => (
          <li key={id} className="flex h-8 items-center gap-3 px-3">
            <span className="hidden sm:block">
              <StatusPill status={status} />
            </span>
            <Link href={`/jobs/${id}`} className="min-w-6 truncate font-medium leading-6 hover:underline">
              {type}
              <span className="ml-2 hidden font-mono sm:inline font-normal text-muted text-xs">{id.slice(-8)}</span>
            </Link>
            <span className="ml-auto flex items-center gap-3 text-muted">
              {progress !== null && <Progress percent={progress} />}
              {startedAt !== null && <Age isShort at={startedAt} />}
            </span>
          </li>
        ))}
      </ul>
      <p className="mt-1 text-muted text-xs">
        {data.nextCursor !== null && `Showing the first ${SHOWN}. `}
        <Link href={tableAddress('worker', name)} className="inline-block leading-6 underline hover:text-ink">
          All jobs of this worker
        </Link>
        , including completed ones
      </p>
    </div>
  )
}
