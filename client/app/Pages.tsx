/**
 * Routes of the dashboard. Overview is part of the main chunk. The other pages are lazy chunks, prefetched when the browser is idle,
 * so that they open also while the server is down.
 */
import { type ComponentType, lazy, Suspense, useEffect } from 'react'
import { Redirect, Route, Switch } from 'wouter'
import { Overview } from '../features/overview/Overview.tsx'
import { loadChunk } from '../lib/browser/chunk-load-error.ts'
import { useLive } from '../live/use-live.ts'
import { ErrorBoundary } from '../ui/ErrorBoundary.tsx'
import { Skeleton } from '../ui/Skeleton.tsx'
import { NotFound } from './NotFound.tsx'

const CHUNKS: readonly (readonly [path: string, load: () => Promise<ComponentType>])[] = [
  ['/jobs', async () => (await import('../features/jobs/Jobs.tsx')).Jobs],
  ['/jobs/:id', async () => (await import('../features/job/JobPage.tsx')).JobPage],
  ['/failures', async () => (await import('../features/failures/Failures.tsx')).Failures],
  ['/types', async () => (await import('../features/job-types/Types.tsx')).Types],
  ['/groups', async () => (await import('../features/groups/Groups.tsx')).Groups],
  ['/schedules', async () => (await import('../features/schedules/Schedules.tsx')).Schedules],
  ['/workers', async () => (await import('../features/workers/Workers.tsx')).Workers],
  ['/new', async () => (await import('../features/new-job/NewJob.tsx')).NewJob],
  ['/settings', async () => (await import('../features/settings/Settings.tsx')).Settings],
]

const PAGES = CHUNKS.map(([path, load]) => [path, lazy(async () => ({ default: await loadChunk(load()) }))] as const)

const IDLE_AFTER_MS = 2_000

export function Pages() {
  const { connection } = useLive()
  const isLive = connection === 'live'
  useEffect(() => {
    if (isLive) return whenIdle(() => void prefetchAll())
  }, [isLive])
  return (
    <Suspense fallback={<Skeleton className="h-40 w-full" />}>
      <Switch>
        <Route path="/">
          <ErrorBoundary>
            <Overview />
          </ErrorBoundary>
        </Route>
        {PAGES.map(([path, Page]) => (
          <Route key={path} path={path}>
            <ErrorBoundary key={path}>
              <Page />
            </ErrorBoundary>
          </Route>
        ))}
        <Route path="/tasks/stats">
          <Redirect to="/" />
        </Route>
        <Route path="/tasks/:id">{({ id }) => <Redirect to={`/jobs/${id}`} />}</Route>
        {['/dashboard', '/inbox', '/task-queue', '/tasks'].map((path) => (
          <Route key={path} path={path}>
            <Redirect to={path === '/dashboard' ? '/' : '/jobs'} />
          </Route>
        ))}
        <Route>
          <NotFound />
        </Route>
      </Switch>
    </Suspense>
  )
}

/** Loads one chunk at a time. Errors are ignored here and shown when the page is opened. */
async function prefetchAll(): Promise<void> {
  for (const [, load] of CHUNKS) await load().catch(() => {})
}

/** Safari has no `requestIdleCallback`. */
function whenIdle(run: () => void): () => void {
  if (!('requestIdleCallback' in window)) {
    const timer = setTimeout(run, IDLE_AFTER_MS)
    return () => clearTimeout(timer)
  }
  const handle = requestIdleCallback(run)
  return () => cancelIdleCallback(handle)
}
