/** A refresh that may be asked for with every frame and still goes easy on the server. */
import { useEffect, useEffectEvent, useRef } from 'react'
import { Pacer } from './pacer.ts'

interface Query {
  readonly isFetching: boolean
  refetch(options: { readonly cancelRefetch: boolean }): Promise<unknown>
}

/**
 * Nobody looks at a hidden page: it reads again when it is looked at, because queries refetch on focus. What its tab shows is read
 * meanwhile too: `isForHidden`.
 */
export function usePaced(
  { isFetching, refetch }: Query,
  everyMs: number,
  { isForHidden = false }: { readonly isForHidden?: boolean } = {},
): () => void {
  const pacer = useRef<Pacer>(null)
  const readAgain = useEffectEvent(async () => {
    // A read that is under way may have begun before the change: the first one of a page is waited for, a later one is replaced.
    if (isFetching) await refetch({ cancelRefetch: false })
    await refetch({ cancelRefetch: true })
  })
  useEffect(() => {
    const made = new Pacer(() => readAgain(), everyMs)
    pacer.current = made
    return () => made.stop()
  }, [everyMs])
  return () => {
    if (isForHidden || !document.hidden) pacer.current?.ask()
  }
}
