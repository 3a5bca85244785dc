/**
 * One event stream for all tabs of this browser. The tab that holds a Web Lock (the leader) opens it and broadcasts its frames; when
 * that tab closes, the next one gets the lock. Both browser APIs need a secure context. Without them, every visible tab opens a
 * stream itself.
 */
import { useCallback, useEffect, useState } from 'react'
import type { Frame } from '../frame.ts'

/** Messages between tabs. */
export type TabMessage =
  | { readonly kind: 'frame'; readonly frame: Frame }
  | { readonly kind: 'state'; readonly isOpen: boolean }
  /** Sent by a new tab; the leader replies with `state`. */
  | { readonly kind: 'hello' }

export interface SharedConnection {
  /** This tab holds the stream. */
  readonly isLeader: boolean
  send(message: TabMessage): void
}

export function canShare(): boolean {
  return 'locks' in navigator && 'BroadcastChannel' in window
}

export function useSharedConnection(onMessage: (message: TabMessage) => void): SharedConnection {
  const [isLeader, setIsLeader] = useState(false)
  const [channel, setChannel] = useState<BroadcastChannel | null>(null)

  useEffect(() => {
    if (!canShare()) return
    const name = `millrace ${document.baseURI}`
    const opened = new BroadcastChannel(name)
    const unmounted = new AbortController()
    opened.onmessage = ({ data }: MessageEvent<TabMessage>) => onMessage(data)
    setChannel(opened)
    opened.postMessage({ kind: 'hello' } satisfies TabMessage)
    const lead = async () => {
      setIsLeader(true)
      await new Promise((resolve) => unmounted.signal.addEventListener('abort', resolve))
    }
    // Rejects when the page closes before it got the lock.
    navigator.locks.request(name, { signal: unmounted.signal }, lead).catch(() => {})
    return () => {
      unmounted.abort()
      opened.close()
    }
  }, [onMessage])

  const send = useCallback((message: TabMessage) => channel?.postMessage(message), [channel])
  return { isLeader, send }
}
