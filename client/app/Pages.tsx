/**
 * Which page is shown where. The first one comes with the page; the others are fetched when they are wanted, or when the browser
 * has nothing else to do: so they open when the server is away.
 */
import { type ComponentType, lazy, Suspense, useEffect } from 'react'
import { Redirect, Route, Switch } from 'wouter'
import { Overview } from '../features/overview/Overview.tsx'
import { fetchPart } from '../lib/chunk-load-error.ts'
import { useLive } from '../live/use-live.ts'
import { ErrorBoundary } from '../ui/ErrorBoundary.tsx'
import { Bone } from '../ui/Skeleton.tsx'
import { NotFound } from './NotFound.tsx'

const PARTS: readonly (readonly [path: string, load: () => Promise<ComponentType>])[] = [
  ['/jobs', async () => (await import('../features/jobs/Jobs.tsx')).Jobs],
  ['/jobs/:id', async () => (await import('../features/job/JobPage.tsx')).JobPage],
  ['/failures', async () => (await import('../features/failures/Failures.tsx')).Failures],
  ['/types', async () => (await import('../features/job-types/Types.tsx')).Types],
  ['/workers', async () => (await import('../features/workers/Workers.tsx')).Workers],
  ['/new', async () => (await import('../features/new-job/NewJob.tsx')).NewJob],
  ['/settings', async () => (await import('../features/settings/Settings.tsx')).Settings],
]

const PAGES = PARTS.map(([path, load]) => [path, lazy(async () => ({ default: await fetchPart(load()) }))] as const)

const IDLE_AFTER_MS = 2_000

export function Pages() {
  const { connection } = useLive()
  const isLive = connection === 'live'
  useEffect(() => {
    if (isLive) return whenIdle(() => void fetchAll())
  }, [isLive])
  return (
    <Suspense fallback={<Bone className="h-40 w-full" />}>
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

/** One after the other. What does not come is said when it is wanted. */
async function fetchAll(): Promise<void> {
  for (const [, load] of PARTS) await load().catch(() => {})
}

/** Safari has no word for it. */
function whenIdle(run: () => void): () => void {
  if (!('requestIdleCallback' in window)) {
    const timer = setTimeout(run, IDLE_AFTER_MS)
    return () => clearTimeout(timer)
  }
  const handle = requestIdleCallback(run)
  return () => cancelIdleCallback(handle)
}
