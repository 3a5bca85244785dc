/** A refresh that may be asked for with every frame and still goes easy on the server. */
import { useEffect, useEffectEvent, useRef } from 'react'
import { Pacer } from './pacer.ts'

/** Nobody looks at a hidden page: it reads again when it is looked at, because queries refetch on focus. */
export function usePaced(run: () => Promise<unknown>, everyMs: number): () => void {
  const pacer = useRef<Pacer>(null)
  const runLatest = useEffectEvent(run)
  useEffect(() => {
    const made = new Pacer(() => runLatest(), everyMs)
    pacer.current = made
    return () => made.stop()
  }, [everyMs])
  return () => {
    if (!document.hidden) pacer.current?.ask()
  }
}
