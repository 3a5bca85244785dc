/** The audit trail page by page, as it was when it was opened: nothing moves while one reads, and `refresh` starts over. */
import { useState } from 'react'
import { api } from '../api.ts'

const LIMIT = 50
/** A first page that moved by itself would leave a gap before the second. */
const STILL = { staleTime: Number.POSITIVE_INFINITY, gcTime: 0, refetchOnWindowFocus: false } as const
const NOT_BEGUN = { isBusy: false, error: null, isEnd: false } as const

interface More {
  readonly isBusy: boolean
  readonly error: unknown
  readonly isEnd: boolean
}

export function useAudit(target: string) {
  const { client } = api.useUtils()
  const input = { limit: LIMIT, ...(target !== '' && { target }) }
  const first = api.audit.list.useQuery(input, STILL)
  const [older, setOlder] = useState<NonNullable<typeof first.data>>([])
  const [more, setMore] = useState<More>(NOT_BEGUN)
  const entries = first.data && [...first.data, ...older]
  const last = entries?.at(-1)

  async function loadMore() {
    if (!last) return
    setMore({ isBusy: true, error: null, isEnd: false })
    try {
      const page = await client.audit.list.query({ ...input, before: last.id })
      setOlder((known) => [...known, ...page])
      setMore({ isBusy: false, error: null, isEnd: page.length < LIMIT })
    } catch (error) {
      setMore({ isBusy: false, error, isEnd: false })
    }
  }

  function refresh() {
    setOlder([])
    setMore(NOT_BEGUN)
    void first.refetch()
  }

  const isEnd = more.isEnd || (first.data !== undefined && first.data.length < LIMIT)
  return { first, entries, loadMore, refresh, isBusy: more.isBusy, error: more.error, isEnd }
}

export type AuditEntry = NonNullable<ReturnType<typeof useAudit>['entries']>[number]
