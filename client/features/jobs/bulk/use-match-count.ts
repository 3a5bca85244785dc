/** How many jobs match a filter, counted while it is asked for. */
import { useEffect, useState } from 'react'
import type { JobFilter } from '../../../../shared/contracts/observe.ts'
import { api } from '../../../lib/api.ts'
import { type Counted, countMatches } from './count-matches.ts'

export interface MatchCount {
  /** null: nothing is counted yet. */
  readonly counted: Counted | null
  readonly error: unknown
}

const NOTHING: MatchCount = { counted: null, error: null }

/** `filterNow` is asked once for each `name`; a null name counts nothing. */
export function useMatchCount(name: string | null, filterNow: () => JobFilter): MatchCount {
  const { client } = api.useUtils()
  const [known, setKnown] = useState({ name, ...NOTHING })
  // biome-ignore lint/correctness/useExhaustiveDependencies: the name stands for the filter, which may hold the time of the call
  useEffect(() => {
    if (name === null) return
    const abort = new AbortController()
    const tell = (counted: Counted) => {
      if (!abort.signal.aborted) setKnown({ name, counted, error: null })
    }
    countMatches(client, filterNow(), { signal: abort.signal, onPart: tell }).then(tell, (error: unknown) => {
      if (!abort.signal.aborted) setKnown({ name, counted: null, error })
    })
    return () => abort.abort()
  }, [name, client])
  return known.name === name ? known : NOTHING
}
