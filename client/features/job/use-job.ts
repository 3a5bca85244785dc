/** One job, kept current by frames. */
import { useMemo } from 'react'
import { api } from '../../lib/api.ts'
import type { Frame } from '../../live/frame.ts'
import { useFrames } from '../../live/use-live.ts'
import { usePaced } from '../../live/use-paced.ts'

const READ_EVERY_MS = 300
/** Each read includes payload and result, so large jobs are read less often. */
const READ_LARGE_EVERY_MS = 3_000
const LARGE = 50_000
const POLL_EVERY_MS = 15_000

export function useJob(id: string) {
  const query = api.get.useQuery({ id }, { refetchInterval: POLL_EVERY_MS })
  const payload = query.data?.payload
  const isLarge = useMemo(() => payload !== undefined && JSON.stringify(payload).length > LARGE, [payload])
  const refresh = usePaced(query, isLarge ? READ_LARGE_EVERY_MS : READ_EVERY_MS)
  useFrames((frame) => {
    if (isAbout(frame, id)) refresh()
  })
  return query
}

export type JobData = NonNullable<ReturnType<typeof useJob>['data']>

/** True also when the frame lists only part of the changed jobs. */
export function isAbout(frame: Frame, id: string): boolean {
  return frame.refetch || frame.total > frame.changes.length || frame.changes.some((change) => change.id === id)
}
