/** Follows the events of the server: over a stream of its own, or over that of another tab. */
import { type ReactNode, useCallback, useEffect, useMemo, useRef, useState } from 'react'
import { api } from '../lib/api.ts'
import { useDoor } from '../session/auth-state.ts'
import { FrameFeed } from './frame-feed.ts'
import { canShare, type Told, useSharedLine } from './shared-connection.ts'
import { useLine } from './use-connection.ts'
import { LiveContext } from './use-live.ts'
import { useVisible } from './use-visible.ts'

/** Errors are retried by the link; an orderly end, as of a server that shuts down, is not. */
const REOPEN_AFTER_MS = 1_000

export function LiveProvider({ children }: { children: ReactNode }) {
  const [feed] = useState(() => new FrameFeed())
  const door = useDoor()
  const isVisible = useVisible()
  const [isOpenElsewhere, setIsOpenElsewhere] = useState(false)
  const onHello = useRef(() => {})
  const hear = useCallback(
    (told: Told) => {
      if (told.kind === 'frame') feed.publish(told.frame)
      else if (told.kind === 'state') setIsOpenElsewhere(told.isOpen)
      else onHello.current()
    },
    [feed],
  )
  const line = useSharedLine(hear)
  // A browser has six connections for one server: without sharing, tabs that nobody looks at leave theirs to the others.
  const isResting = !canShare() && !isVisible
  const isWanted = door === 'open' && (canShare() ? line.isKeeper : isVisible)
  const { status, reset } = api.events.useSubscription(undefined, {
    enabled: isWanted,
    onData: ({ data }) => {
      feed.publish(data)
      line.tell({ kind: 'frame', frame: data })
    },
  })
  // A healthy subscription reads "pending": it is not finished yet.
  const isOwnOpen = isWanted && status === 'pending'
  const { isKeeper, tell } = line

  useEffect(() => {
    if (!isWanted || status !== 'idle') return
    const timer = setTimeout(reset, REOPEN_AFTER_MS)
    return () => clearTimeout(timer)
  }, [isWanted, status, reset])

  useEffect(() => {
    if (!isKeeper) return
    const say = () => tell({ kind: 'state', isOpen: isOwnOpen })
    onHello.current = say
    say()
    return () => {
      onHello.current = () => {}
    }
  }, [isKeeper, isOwnOpen, tell])

  const isOpen = isKeeper || !canShare() ? isOwnOpen : isOpenElsewhere
  const { connection, lostAt } = useLine({ isOpen, door, isResting })
  const live = useMemo(() => ({ feed, connection, lostAt }), [feed, connection, lostAt])
  return <LiveContext value={live}>{children}</LiveContext>
}
