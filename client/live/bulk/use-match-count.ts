/** Number of jobs that match a filter, counted while the component is mounted. */
import { useEffect, useState } from 'react'
import type { JobFilter } from '../../../shared/contracts/observe.ts'
import { api } from '../../lib/api.ts'
import { type Counted, countMatches } from './count-matches.ts'

export interface MatchCount {
  /** null: not counted yet. */
  readonly counted: Counted | null
  readonly error: unknown
}

const NOT_COUNTED: MatchCount = { counted: null, error: null }

/** `currentFilter` is called once per `name`. Nothing is counted while `name` is null. */
export function useMatchCount(name: string | null, currentFilter: () => JobFilter): MatchCount {
  const { client } = api.useUtils()
  const [result, setResult] = useState({ name, ...NOT_COUNTED })
  // biome-ignore lint/correctness/useExhaustiveDependencies: the name identifies the filter, which may contain the current time
  useEffect(() => {
    if (name === null) return
    const abort = new AbortController()
    const publish = (counted: Counted) => {
      if (!abort.signal.aborted) setResult({ name, counted, error: null })
    }
    countMatches(client, currentFilter(), { signal: abort.signal, onPart: publish }).then(publish, (error: unknown) => {
      if (!abort.signal.aborted) setResult({ name, counted: null, error })
    })
    return () => abort.abort()
  }, [name, client])
  return result.name === name ? result : NOT_COUNTED
}
