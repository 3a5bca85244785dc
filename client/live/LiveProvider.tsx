/** Event stream of the page: opened by this tab, or received from another tab. */
import { type ReactNode, useCallback, useEffect, useMemo, useRef, useState } from 'react'
import { api } from '../lib/api.ts'
import { useAuthState } from '../session/auth-state.ts'
import { canShare, type TabMessage, useSharedConnection } from './connection/shared-connection.ts'
import { useConnection } from './connection/use-connection.ts'
import { FrameFeed } from './frame-feed.ts'
import { LiveContext } from './use-live.ts'
import { useVisible } from './use-visible.ts'

/** `retryLink` retries after errors, but not after an orderly end such as a server shutdown. */
const REOPEN_AFTER_MS = 1_000

export function LiveProvider({ children }: { children: ReactNode }) {
  const [feed] = useState(() => new FrameFeed())
  const authState = useAuthState()
  const isVisible = useVisible()
  const [isOpenElsewhere, setIsOpenElsewhere] = useState(false)
  const onHello = useRef(() => {})
  const onMessage = useCallback(
    (message: TabMessage) => {
      if (message.kind === 'frame') feed.publish(message.frame)
      else if (message.kind === 'state') setIsOpenElsewhere(message.isOpen)
      else onHello.current()
    },
    [feed],
  )
  const { isLeader, send } = useSharedConnection(onMessage)
  // Browsers allow six HTTP/1.1 connections per server: without sharing, hidden tabs give theirs up.
  const isInactive = !canShare() && !isVisible
  const isWanted = authState === 'allowed' && (canShare() ? isLeader : isVisible)
  const { status, reset } = api.events.useSubscription(undefined, {
    enabled: isWanted,
    onData: ({ data }) => {
      feed.publish(data)
      send({ kind: 'frame', frame: data })
    },
  })
  // An open subscription has the status "pending", because it has not finished.
  const isOwnOpen = isWanted && status === 'pending'

  useEffect(() => {
    if (!isWanted || status !== 'idle') return
    const timer = setTimeout(reset, REOPEN_AFTER_MS)
    return () => clearTimeout(timer)
  }, [isWanted, status, reset])

  useEffect(() => {
    if (!isLeader) return
    const sendState = () => send({ kind: 'state', isOpen: isOwnOpen })
    onHello.current = sendState
    sendState()
    return () => {
      onHello.current = () => {}
    }
  }, [isLeader, isOwnOpen, send])

  const isOpen = isLeader || !canShare() ? isOwnOpen : isOpenElsewhere
  const { connection, lostAt } = useConnection({ isOpen, authState, isInactive })
  const live = useMemo(() => ({ feed, connection, lostAt }), [feed, connection, lostAt])
  return <LiveContext value={live}>{children}</LiveContext>
}
