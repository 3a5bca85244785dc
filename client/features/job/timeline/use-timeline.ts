/** Attempts and operator actions of a job, kept current by frames. */
import { useMemo } from 'react'
import { api } from '../../../lib/api.ts'
import { useFrames } from '../../../live/use-live.ts'
import { usePaced } from '../../../live/use-paced.ts'
import { useHasScope } from '../../../session/use-session.ts'
import { isAbout, type JobData } from '../use-job.ts'
import { buildTimeline } from './timeline.ts'

const READ_EVERY_MS = 500
const MAX_ACTIONS = 200

export function useTimeline(job: JobData) {
  const { id } = job
  const attempts = api.attempts.useQuery({ id })
  const mayReadAudit = useHasScope('admin')
  // Without the admin scope the timeline shows attempts only.
  const actions = api.audit.list.useQuery({ target: id, limit: MAX_ACTIONS }, { retry: false, enabled: mayReadAudit })
  const refreshAttempts = usePaced(attempts, READ_EVERY_MS)
  const refreshActions = usePaced(actions, READ_EVERY_MS)
  useFrames((frame) => {
    if (!isAbout(frame, id)) return
    refreshAttempts()
    if (mayReadAudit) refreshActions()
  })
  const timeline = useMemo(
    () => attempts.data && buildTimeline(job, attempts.data, actions.data ?? []),
    [job, attempts.data, actions.data],
  )
  return { timeline, attempts }
}
