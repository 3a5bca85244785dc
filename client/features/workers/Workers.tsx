/** Workers page: last heartbeat, running jobs and drain. */
import { useSearchParams } from 'wouter'
import type { WorkerLiveness } from '../../../shared/stats/worker-liveness.ts'
import { FailedToLoad } from '../../ui/FailedToLoad.tsx'
import { PageHead } from '../../ui/PageHead.tsx'
import { NoWorkers } from './NoWorkers.tsx'
import { useDrain } from './use-drain.ts'
import { useWorkers } from './use-workers.ts'
import { COLUMNS, SkeletonWorker, WorkerRow } from './WorkerRow.tsx'

export function Workers() {
  const { query, workers } = useWorkers()
  const drain = useDrain()
  const [params, setParams] = useSearchParams()
  const open = params.getAll('open')
  if (query.error && !workers) {
    return <FailedToLoad isPage what="the workers" error={query.error} onRetry={() => void query.refetch()} />
  }

  function toggle(name: string) {
    setParams(
      (before) => {
        const next = new URLSearchParams(before)
        if (next.has('open', name)) next.delete('open', name)
        else next.append('open', name)
        return next
      },
      { replace: true },
    )
  }

  const countOf = (signs: WorkerLiveness) => workers?.filter((worker) => worker.signs === signs).length ?? 0
  const [online, stale, gone] = [countOf('reporting'), countOf('stale'), countOf('gone')]
  const hint =
    workers &&
    [
      `${online} online`,
      ...(stale > 0 ? [`${stale} not reporting`] : []),
      ...(gone > 0 ? [`${gone} offline for more than a minute`] : []),
    ].join(', ')
  return (
    <>
      <PageHead title="Workers" {...(hint !== undefined && { hint: `${hint}.` })} />
      {workers?.length === 0 ? (
        <NoWorkers />
      ) : (
        <>
          <div className="overflow-clip rounded-lg bg-surface ring-1 ring-line">
            <div aria-hidden="true" className={`${COLUMNS} hidden h-8 border-line border-b text-muted text-xs md:grid`}>
              <span className="pl-4">Worker and version</span>
              <span>Job types</span>
              <span className="text-right">Last seen</span>
              <span className="text-right">Uptime</span>
              <span className="text-right">Running / slots</span>
              <span />
            </div>
            <ul aria-label="Workers" aria-busy={!workers} className="divide-y divide-line/60">
              {workers?.map((worker) => (
                <WorkerRow
                  key={worker.name}
                  worker={worker}
                  isOpen={open.includes(worker.name)}
                  onToggle={() => toggle(worker.name)}
                  onDrain={(isDraining) => drain({ worker: worker.name, drain: isDraining })}
                />
              )) ?? [1, 2, 3].map((n) => <SkeletonWorker key={n} />)}
            </ul>
          </div>
          {workers && online + stale === 0 && (
            <div className="mt-6">
              <NoWorkers />
            </div>
          )}
        </>
      )}
    </>
  )
}
