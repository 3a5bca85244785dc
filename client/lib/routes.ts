/** Every page of the dashboard: where it is, what it is called, and the keys that lead there. */

export interface Route {
  readonly path: string
  readonly name: string
  /** After `g`. */
  readonly letter: string
}

export const ROUTES = [
  { path: '/', name: 'Overview', letter: 'o' },
  { path: '/jobs', name: 'Jobs', letter: 'j' },
  { path: '/failures', name: 'Failures', letter: 'f' },
  { path: '/types', name: 'Types', letter: 't' },
  { path: '/workers', name: 'Workers', letter: 'w' },
  { path: '/new', name: 'New job', letter: 'n' },
  { path: '/settings', name: 'Settings', letter: 's' },
] as const satisfies readonly Route[]

/** Where the server is mounted, without a slash at the end: '' or '/queue'. */
export function basePath(): string {
  return new URL('.', document.baseURI).pathname.replace(/\/$/, '')
}
