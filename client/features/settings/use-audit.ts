/** Audit trail: new entries live, older ones on request. */
import { useEffect, useState } from 'react'
import { api } from '../../lib/api.ts'
import { useFrames } from '../../live/use-live.ts'
import { usePaced } from '../../live/use-paced.ts'
import { type Trail, withNewest, withOlder } from './audit-trail.ts'

const LIMIT = 50
const READ_EVERY_MS = 1_000
/** Tokens and sign-ins cause no frames. */
const POLL_EVERY_MS = 10_000

export function useAudit(target: string) {
  const { client } = api.useUtils()
  const input = { limit: LIMIT, ...(target !== '' && { target }) }
  const newest = api.audit.list.useQuery(input, { refetchInterval: POLL_EVERY_MS, gcTime: 0 })
  const refresh = usePaced(newest, READ_EVERY_MS)
  useFrames(({ total, types, settings, workers, bulks, refetch }) => {
    if (total > 0 || types || settings || workers || bulks.length > 0 || refetch) refresh()
  })
  const { data } = newest
  const [trail, setTrail] = useState<Trail<NonNullable<typeof data>[number]> | null>(null)
  const [isBusy, setIsBusy] = useState(false)
  const [error, setError] = useState<unknown>(null)

  useEffect(() => {
    if (data) setTrail((known) => withNewest(known, data, LIMIT))
  }, [data])

  async function loadMore() {
    const last = trail?.entries.at(-1)
    if (!last) return
    setIsBusy(true)
    setError(null)
    try {
      const page = await client.audit.list.query({ ...input, before: last.id })
      setTrail((known) => known && withOlder(known, page, LIMIT))
    } catch (cause) {
      setError(cause)
    }
    setIsBusy(false)
  }

  return { newest, trail, loadMore, isBusy, error }
}

export type AuditEntry = NonNullable<ReturnType<typeof useAudit>['trail']>['entries'][number]
