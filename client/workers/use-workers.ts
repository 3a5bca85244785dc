/** Everybody who works on this queue: those heard of lately first, the others below. */
import { MINUTE } from '../../shared/limits.ts'
import { api } from '../api.ts'
import { useFrames } from '../live/use-live.ts'
import { useNow } from '../live/use-now.ts'
import { usePaced } from '../live/use-paced.ts'

const READ_EVERY_MS = 2_000
/** Heartbeats alone change no job, and no frame tells of them. */
const POLL_EVERY_MS = 5_000
/** As `explain` sees it: nobody is silent for so long while working. */
const SILENT_MS = MINUTE

export function useWorkers() {
  const query = api.workers.list.useQuery(undefined, { refetchInterval: POLL_EVERY_MS })
  const refresh = usePaced(query, READ_EVERY_MS)
  useFrames(({ total, workers, refetch }) => {
    if (total > 0 || workers || refetch) refresh()
  })
  const now = useNow()
  const all = query.data
    ?.map((worker) => ({ ...worker, isOnline: now - worker.seenAt < SILENT_MS }))
    .sort((a, b) => Number(b.isOnline) - Number(a.isOnline) || (a.name < b.name ? -1 : 1))
  return { query, workers: all }
}

export type Worker = NonNullable<ReturnType<typeof useWorkers>['workers']>[number]
