/** Pages of the dashboard: path, name and shortcut key. */

export interface Route {
  readonly path: string
  readonly name: string
  /** Shortcut letter after `g`. */
  readonly letter: string
}

export const ROUTES = [
  { path: '/', name: 'Overview', letter: 'o' },
  { path: '/jobs', name: 'Jobs', letter: 'j' },
  { path: '/failures', name: 'Failures', letter: 'f' },
  { path: '/types', name: 'Types', letter: 't' },
  { path: '/groups', name: 'Groups', letter: 'g' },
  { path: '/schedules', name: 'Schedules', letter: 'c' },
  { path: '/workers', name: 'Workers', letter: 'w' },
  { path: '/new', name: 'New job', letter: 'n' },
  { path: '/settings', name: 'Settings', letter: 's' },
] as const satisfies readonly Route[]

/** Mount path of the server without a trailing slash: '' or '/queue'. */
export function basePath(): string {
  return new URL('.', document.baseURI).pathname.replace(/\/$/, '')
}
