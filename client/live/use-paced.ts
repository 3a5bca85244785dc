/** Rate-limited refetch of a query, for callers that request it with every frame. */
import { useEffect, useEffectEvent, useRef } from 'react'
import { Pacer } from './pacer.ts'

interface Query {
  readonly isFetching: boolean
  refetch(options: { readonly cancelRefetch: boolean }): Promise<unknown>
}

/** Hidden pages do not refetch: queries refetch on focus. `isForHidden` is for data that the tab title shows. */
export function usePaced(
  { isFetching, refetch }: Query,
  everyMs: number,
  { isForHidden = false }: { readonly isForHidden?: boolean } = {},
): () => void {
  const pacer = useRef<Pacer>(null)
  const refetchNow = useEffectEvent(async () => {
    // A read under way may have started before the change. Wait for it instead of cancelling: it may be the first of the page.
    if (isFetching) await refetch({ cancelRefetch: false })
    await refetch({ cancelRefetch: true })
  })
  useEffect(() => {
    const created = new Pacer(() => refetchNow(), everyMs)
    pacer.current = created
    return () => created.stop()
  }, [everyMs])
  return () => {
    if (isForHidden || !document.hidden) pacer.current?.request()
  }
}
