/** Keeps the tab's title and icon true, and tells those who do not see it that the page has changed. */
import { useEffect, useRef, useState } from 'react'
import { useLocation } from 'wouter'
import { api } from '../../lib/api.ts'
import { useFrames, useLive } from '../../live/use-live.ts'
import { useNow } from '../../live/use-now.ts'
import { usePaced } from '../../live/use-paced.ts'
import { nameOf, useOwnName } from './page-name.ts'
import { RECENT_MINUTES, recentFailures } from './recent-failures.ts'
import { type Icon, tabState } from './tab-state.ts'

const READ_EVERY_MS = 1_000
/** Nobody looks at the page then, but at its tab. */
const HIDDEN_TOO = { isForHidden: true } as const

export function Tab() {
  const { connection } = useLive()
  const [path] = useLocation()
  const own = useOwnName()
  const isRefused = connection === 'refused' || connection === 'shut'
  const refusal = connection === 'shut' ? 'No access' : 'Sign in'
  const name = isRefused ? refusal : (own ?? nameOf(path))
  const state = tabState({ connection, isPaused: useIsPaused(!isRefused), failed: useRecentFailures(!isRefused) })
  const title = [...state.words, name, 'Millrace'].join(' · ')
  useEffect(() => {
    document.title = title
  }, [title])
  useEffect(() => show(state.icon), [state.icon])
  return <Announced key={String(isRefused)} name={isRefused ? refusal : nameOf(path)} path={path} />
}

/** A new page is silent to screen readers unless something says it; the first one is announced by its title. */
function Announced({ name, path }: { name: string; path: string }) {
  const [first] = useState(path)
  const [isLater, setIsLater] = useState(false)
  if (path !== first && !isLater) setIsLater(true)
  return (
    <p role="status" data-testid="page-announced" className="sr-only">
      {isLater && name}
    </p>
  )
}

function useIsPaused(isWanted: boolean): boolean {
  const query = api.settings.get.useQuery(undefined, { enabled: isWanted })
  const refresh = usePaced(query, READ_EVERY_MS, HIDDEN_TOO)
  useFrames(({ settings, refetch }) => {
    if (isWanted && (settings || refetch)) refresh()
  })
  return query.data?.paused ?? false
}

function useRecentFailures(isWanted: boolean): number {
  const query = api.history.useQuery({ minutes: RECENT_MINUTES, together: true }, { enabled: isWanted })
  const refresh = usePaced(query, READ_EVERY_MS, HIDDEN_TOO)
  // A tab that has just been opened may not have heard of it yet.
  const level = useRef(Number.POSITIVE_INFINITY)
  useFrames(({ counts, changes, refetch }) => {
    const hasNews = refetch || counts.failed > level.current || changes.some(({ to }) => to === 'failed')
    if (isWanted && hasNews) refresh()
    level.current = counts.failed
  })
  return recentFailures(query.data ?? [], useNow(), level.current)
}

/** Browsers look at the address only when the link says another one. */
function show(icon: Icon): void {
  const link = document.querySelector<HTMLLinkElement>('link[rel=icon]')
  link?.setAttribute('href', `${icon}.svg`)
}
