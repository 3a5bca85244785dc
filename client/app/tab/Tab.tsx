/** Title and icon of the browser tab, and the page announcement for screen readers. */
import { useEffect, useRef, useState } from 'react'
import { useLocation } from 'wouter'
import { api } from '../../lib/api.ts'
import { routeName, useOwnPageName } from '../../lib/browser/page-name.ts'
import { useFrames, useLive } from '../../live/use-live.ts'
import { useNow } from '../../live/use-now.ts'
import { usePaced } from '../../live/use-paced.ts'
import { RECENT_MINUTES, recentFailures } from './recent-failures.ts'
import { type Icon, tabState } from './tab-state.ts'

const READ_EVERY_MS = 1_000
/** A hidden page still shows its title and icon in the tab. */
const HIDDEN_TOO = { isForHidden: true } as const

export function Tab() {
  const { connection } = useLive()
  const [path] = useLocation()
  const own = useOwnPageName()
  const hasNoAccess = connection === 'signedOut' || connection === 'forbidden'
  const refusal = connection === 'forbidden' ? 'No access' : 'Sign in'
  const name = hasNoAccess ? refusal : (own ?? routeName(path))
  const state = tabState({ connection, isPaused: useIsPaused(!hasNoAccess), failed: useRecentFailures(!hasNoAccess) })
  const title = [...state.labels, name, 'Millrace'].join(' · ')
  useEffect(() => {
    document.title = title
  }, [title])
  useEffect(() => showIcon(state.icon), [state.icon])
  return <PageAnnouncement key={String(hasNoAccess)} name={hasNoAccess ? refusal : routeName(path)} path={path} />
}

/** Screen readers announce the first page by its title, but not client-side navigation. */
function PageAnnouncement({ name, path }: { name: string; path: string }) {
  const [first] = useState(path)
  const [isLater, setIsLater] = useState(false)
  if (path !== first && !isLater) setIsLater(true)
  return (
    <p role="status" data-testid="page-announced" className="sr-only">
      {isLater && name}
    </p>
  )
}

function useIsPaused(isEnabled: boolean): boolean {
  const query = api.settings.get.useQuery(undefined, { enabled: isEnabled })
  const refresh = usePaced(query, READ_EVERY_MS, HIDDEN_TOO)
  useFrames(({ settings, refetch }) => {
    if (isEnabled && (settings || refetch)) refresh()
  })
  return query.data?.paused ?? false
}

function useRecentFailures(isEnabled: boolean): number {
  const query = api.history.useQuery({ minutes: RECENT_MINUTES, together: true }, { enabled: isEnabled })
  const refresh = usePaced(query, READ_EVERY_MS, HIDDEN_TOO)
  // Unknown until the first frame.
  const level = useRef(Number.POSITIVE_INFINITY)
  useFrames(({ counts, changes, refetch }) => {
    const hasNews = refetch || counts.failed > level.current || changes.some(({ to }) => to === 'failed')
    if (isEnabled && hasNews) refresh()
    level.current = counts.failed
  })
  return recentFailures(query.data ?? [], useNow(), level.current)
}

/** Browsers reload the icon when `href` changes. */
function showIcon(icon: Icon): void {
  const link = document.querySelector<HTMLLinkElement>('link[rel=icon]')
  link?.setAttribute('href', `${icon}.svg`)
}
