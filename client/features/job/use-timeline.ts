/** The attempts of a job and what operators did to it, kept current by frames. */
import { useMemo } from 'react'
import { api } from '../../lib/api.ts'
import { useFrames } from '../../live/use-live.ts'
import { usePaced } from '../../live/use-paced.ts'
import { useMay } from '../../session/use-session.ts'
import { tellStory } from './timeline.ts'
import { isAbout, type JobData } from './use-job.ts'

const READ_EVERY_MS = 500
const MOST_ACTS = 200

export function useStory(job: JobData) {
  const { id } = job
  const attempts = api.attempts.useQuery({ id })
  const mayReadActs = useMay('admin')
  // Not everybody may read the audit trail: then the story has the attempts alone.
  const acts = api.audit.list.useQuery({ target: id, limit: MOST_ACTS }, { retry: false, enabled: mayReadActs })
  const refreshAttempts = usePaced(attempts, READ_EVERY_MS)
  const refreshActs = usePaced(acts, READ_EVERY_MS)
  useFrames((frame) => {
    if (!isAbout(frame, id)) return
    refreshAttempts()
    if (mayReadActs) refreshActs()
  })
  const story = useMemo(
    () => attempts.data && tellStory(job, attempts.data, acts.data ?? []),
    [job, attempts.data, acts.data],
  )
  return { story, attempts }
}
