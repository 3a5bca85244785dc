/**
 * One event stream for all tabs of this browser: the tab that holds a lock has it and passes on what it hears. When that tab
 * goes, the next one in line takes over. Browsers give both only to secure pages (and to localhost): elsewhere every tab that
 * is looked at has a stream of its own.
 */
import { useCallback, useEffect, useState } from 'react'
import type { Frame } from './frame.ts'

/** What the tab with the stream tells the others. */
export type Told =
  | { readonly kind: 'frame'; readonly frame: Frame }
  | { readonly kind: 'state'; readonly isOpen: boolean }
  /** Said by a tab that has just been opened. */
  | { readonly kind: 'hello' }

export interface SharedLine {
  /** This tab keeps the stream. */
  readonly isKeeper: boolean
  tell(told: Told): void
}

export function canShare(): boolean {
  return 'locks' in navigator && 'BroadcastChannel' in window
}

export function useSharedLine(onTold: (told: Told) => void): SharedLine {
  const [isKeeper, setIsKeeper] = useState(false)
  const [channel, setChannel] = useState<BroadcastChannel | null>(null)

  useEffect(() => {
    if (!canShare()) return
    const name = `millrace ${document.baseURI}`
    const opened = new BroadcastChannel(name)
    const gone = new AbortController()
    opened.onmessage = ({ data }: MessageEvent<Told>) => onTold(data)
    setChannel(opened)
    opened.postMessage({ kind: 'hello' } satisfies Told)
    const keep = async () => {
      setIsKeeper(true)
      await new Promise((resolve) => gone.signal.addEventListener('abort', resolve))
    }
    // Aborted when the page goes before its turn came.
    navigator.locks.request(name, { signal: gone.signal }, keep).catch(() => {})
    return () => {
      gone.abort()
      opened.close()
    }
  }, [onTold])

  const tell = useCallback((told: Told) => channel?.postMessage(told), [channel])
  return { isKeeper, tell }
}
