/** Server's explanation of a job's state, refreshed when anything it depends on may have changed. */
import { api } from '../../lib/api.ts'
import { useFrames } from '../../live/use-live.ts'
import { usePaced } from '../../live/use-paced.ts'
import { isAbout, type JobData } from './use-job.ts'

const READ_EVERY_MS = 1_000
/** The text contains durations. */
const POLL_EVERY_MS = 10_000

export function useExplanation({ id, type, status }: JobData) {
  const isOver = status === 'completed' || status === 'failed' || status === 'cancelled'
  const query = api.explain.useQuery({ id }, isOver ? {} : { refetchInterval: POLL_EVERY_MS })
  const refresh = usePaced(query, READ_EVERY_MS)
  useFrames((frame) => {
    const isNeighbour = () => !isOver && frame.changes.some((change) => change.type === type)
    if (frame.types || frame.settings || frame.workers || isAbout(frame, id) || isNeighbour()) refresh()
  })
  return query
}
