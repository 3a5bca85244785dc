/** Keeps one event stream open for the whole dashboard and opens it again whenever it ends. */
import { type ReactNode, useEffect, useMemo, useState } from 'react'
import { api, asksForToken } from '../api.ts'
import { FrameFeed } from './frame-feed.ts'
import { useLine } from './use-line.ts'
import { LiveContext } from './use-live.ts'
import { useVisible } from './use-visible.ts'

/** Errors are retried by the link; an orderly end, as of a server that shuts down, is not. */
const REOPEN_AFTER_MS = 1_000

export function LiveProvider({ children }: { children: ReactNode }) {
  const [feed] = useState(() => new FrameFeed())
  const facts = api.facts.useQuery()
  const isRefused = asksForToken(facts.error)
  // A browser has six connections for one server: tabs that nobody looks at leave theirs to the others.
  const isVisible = useVisible()
  const isWanted = isVisible && !isRefused
  const stream = api.events.useSubscription(undefined, {
    enabled: isWanted,
    onData: ({ data }) => feed.publish(data),
  })
  const { status, reset } = stream

  useEffect(() => {
    if (!isWanted || status !== 'idle') return
    const timer = setTimeout(reset, REOPEN_AFTER_MS)
    return () => clearTimeout(timer)
  }, [isWanted, status, reset])

  // A healthy subscription reads "pending": it is not finished yet.
  const { connection, lostAt } = useLine({ isOpen: status === 'pending', isRefused })
  const live = useMemo(() => ({ feed, connection, lostAt }), [feed, connection, lostAt])
  return <LiveContext value={live}>{children}</LiveContext>
}
