/** Which page is shown where. The first one comes with the page; the others are fetched when they are wanted. */
import { type ComponentType, lazy, Suspense } from 'react'
import { Redirect, Route, Switch } from 'wouter'
import { Overview } from '../overview/Overview.tsx'
import { Bone } from '../page/Bone.tsx'
import { ErrorBoundary } from '../page/ErrorBoundary.tsx'
import { fetchPart } from '../page/lost-part.ts'
import { NotFound } from './NotFound.tsx'

const PAGES: readonly (readonly [path: string, page: ComponentType])[] = [
  ['/jobs', lazy(async () => ({ default: (await fetchPart(import('../jobs/Jobs.tsx'))).Jobs }))],
  ['/jobs/:id', lazy(async () => ({ default: (await fetchPart(import('../job/JobPage.tsx'))).JobPage }))],
  ['/failures', lazy(async () => ({ default: (await fetchPart(import('../failures/Failures.tsx'))).Failures }))],
  ['/types', lazy(async () => ({ default: (await fetchPart(import('../types/Types.tsx'))).Types }))],
  ['/workers', lazy(async () => ({ default: (await fetchPart(import('../workers/Workers.tsx'))).Workers }))],
  ['/new', lazy(async () => ({ default: (await fetchPart(import('../new-job/NewJob.tsx'))).NewJob }))],
  ['/settings', lazy(async () => ({ default: (await fetchPart(import('../settings/Settings.tsx'))).Settings }))],
]

export function Pages() {
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
