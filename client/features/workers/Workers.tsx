/** Who works on this queue: signs of life, jobs in hand, and asking one to finish and go. */
import { useSearchParams } from 'wouter'
import type { WorkerSigns } from '../../../shared/worker-reports.ts'
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

  const having = (signs: WorkerSigns) => workers?.filter((worker) => worker.signs === signs).length ?? 0
  const [online, stale, gone] = [having('reporting'), having('stale'), having('gone')]
  const hint =
    workers &&
    [
      `${online} online`,
      ...(stale > 0 ? [`${stale} not reporting`] : []),
      ...(gone > 0 ? [`${gone} silent for more than a minute`] : []),
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
              <span>Takes</span>
              <span className="text-right">Heard of</span>
              <span className="text-right">Up</span>
              <span className="text-right">Holds / slots</span>
              <span />
            </div>
            <ul aria-label="Workers" aria-busy={!workers} className="divide-y divide-line/60">
              {workers?.map((worker) => (
                <WorkerRow
                  key={worker.name}
                  worker={worker}
                  isOpen={open.includes(worker.name)}
                  onToggle={() => toggle(worker.name)}
                  onDrain={(wanted) => drain({ worker: worker.name, drain: wanted })}
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
