/** Log of a job, read incrementally: each read continues after the last line. */
import { useQuery, useQueryClient } from '@tanstack/react-query'
import { api } from '../../../lib/api.ts'
import { useFrames } from '../../../live/use-live.ts'
import { usePaced } from '../../../live/use-paced.ts'
import { isAbout } from '../use-job.ts'
import { addLines, type LogState, NO_LINES } from './log-lines.ts'

const READ_EVERY_MS = 250
const PAGE = 1_000

export function useLogs(id: string) {
  const { client } = api.useUtils()
  const queries = useQueryClient()
  const queryKey = ['log-tail', id]
  const query = useQuery({
    queryKey,
    queryFn: async ({ signal }) => {
      let state = queries.getQueryData<LogState>(queryKey) ?? NO_LINES
      for (let isMore = true; isMore; ) {
        const lines = await client.logs.query({ id, after: state.after, limit: PAGE }, { signal })
        state = addLines(state, lines)
        isMore = lines.length === PAGE
        // Show the first pages while the next ones load.
        if (isMore) queries.setQueryData(queryKey, state)
      }
      return state
    },
    structuralSharing: false,
    staleTime: 0,
  })
  const refresh = usePaced(query, READ_EVERY_MS)
  useFrames((frame) => {
    if (isAbout(frame, id)) refresh()
  })
  return query
}
