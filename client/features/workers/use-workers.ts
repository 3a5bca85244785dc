/** Workers of the queue, with those that are gone last. */
import { livenessOf } from '../../../shared/stats/worker-liveness.ts'
import { api } from '../../lib/api.ts'
import { useFrames } from '../../live/use-live.ts'
import { useNow } from '../../live/use-now.ts'
import { usePaced } from '../../live/use-paced.ts'

const READ_EVERY_MS = 2_000
/** Heartbeats cause no frames. */
const POLL_EVERY_MS = 5_000

export function useWorkers() {
  const query = api.workers.list.useQuery(undefined, { refetchInterval: POLL_EVERY_MS })
  const refresh = usePaced(query, READ_EVERY_MS)
  useFrames(({ total, workers, refetch }) => {
    if (total > 0 || workers || refetch) refresh()
  })
  const now = useNow()
  const all = query.data
    ?.map((worker) => ({ ...worker, signs: livenessOf(worker, now) }))
    .sort((a, b) => Number(a.signs === 'gone') - Number(b.signs === 'gone') || (a.name < b.name ? -1 : 1))
  return { query, workers: all }
}

export type Worker = NonNullable<ReturnType<typeof useWorkers>['workers']>[number]
