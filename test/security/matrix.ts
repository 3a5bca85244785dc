/**
 * Who may do what, as one table: every procedure and route, and what becomes of a request to it from anywhere, with any token.
 * One that has no row fails the suite: who may come in is to be decided, not to happen.
 */
import type { Scope } from '../../shared/scopes.ts'

const MISSING = '018f6f0e-0000-7000-8000-00000000dead'

/** `procedure: scope`; of several scopes any one is enough. */
export const PROCEDURE_SCOPES: Readonly<Record<string, Scope | readonly Scope[]>> = {
  enqueue: 'produce',
  enqueueMany: 'produce',
  claim: 'work',
  exchange: 'work',
  heartbeat: 'work',
  cancellations: 'work',
  complete: 'work',
  fail: 'work',
  release: 'work',
  holders: 'work',
  progress: 'work',
  log: 'work',
  get: 'read',
  list: 'read',
  stats: 'read',
  history: 'read',
  result: ['read', 'produce'],
  explain: 'read',
  attempts: 'read',
  logs: 'read',
  facts: 'read',
  export: 'read',
  events: 'read',
  'types.list': 'read',
  'types.get': 'read',
  'workers.list': 'read',
  'settings.get': 'read',
  'failures.groups': 'read',
  depths: 'read',
  'bulk.count': 'read',
  'bulk.status': 'read',
  retry: 'admin',
  runNow: 'admin',
  cancel: 'admin',
  remove: 'admin',
  cleanup: 'admin',
  backup: 'admin',
  'types.declare': ['work', 'admin'],
  'types.update': 'admin',
  'types.pause': 'admin',
  'types.resume': 'admin',
  'workers.drain': 'admin',
  'settings.update': 'admin',
  'settings.pause': 'admin',
  'settings.resume': 'admin',
  'bulk.start': 'admin',
  'bulk.cancel': 'admin',
  'bulk.undo': 'admin',
  'audit.list': 'admin',
  'tokens.list': 'admin',
  'tokens.create': 'admin',
  'tokens.revoke': 'admin',
}

/**
 * probe: anybody. page: holds nothing of the queue, for whoever may connect. session: our own pages, with or without a token.
 * who: the same, but a wrong token is told so. call: a token and its scope. json-queue: the same, and ALLOW_IPS without a token.
 */
export type Door = 'probe' | 'page' | 'session' | 'who' | 'call' | 'json-queue'

export interface Route {
  readonly door: Door
  readonly scope?: Scope | readonly Scope[]
  /** Where `{id}` and a query are to be filled in; harmless, and far enough to meet the question of scopes. */
  readonly path?: string
  readonly body?: unknown
}

const id = (route: string) => route.replace('{id}', MISSING)
const call = (scope: Scope, more: Omit<Route, 'door' | 'scope'> = {}): Route => ({ door: 'call', scope, ...more })
const onTask = (scope: Scope, rest = ''): Route => call(scope, { path: id(`/api/tasks/{id}${rest}`) })

/** Everything that is no procedure: `METHOD /path`. */
export const ROUTES: Readonly<Record<string, Route>> = {
  'GET /health': { door: 'probe' },
  'GET /ready': { door: 'probe' },
  'GET /': { door: 'page' },
  'GET /index.html': { door: 'page' },
  'GET /dashboard': { door: 'page' },
  'GET /jobs': { door: 'page' },
  'GET /failures': { door: 'page' },
  'GET /types': { door: 'page' },
  'GET /workers': { door: 'page' },
  'GET /new': { door: 'page' },
  'GET /settings': { door: 'page' },
  'GET /inbox': { door: 'page' },
  'GET /task-queue': { door: 'page' },
  'GET /tasks': { door: 'page' },
  'GET /tasks/stats': { door: 'page' },
  'GET /jobs/:id': { door: 'page', path: '/jobs/1' },
  'GET /tasks/:id': { door: 'page', path: '/tasks/1' },
  'GET /no/such/page': { door: 'page' },
  'GET /openapi.json': { door: 'page' },
  'GET /reference': { door: 'page' },
  'GET /session': { door: 'who' },
  'POST /session': { door: 'session', body: {} },
  'DELETE /session': { door: 'session' },
  'GET /metrics': call('read'),
  'GET /export': call('read', { path: '/export?filter={"type":"nothing"}' }),
  'GET /api/queue': { door: 'json-queue', scope: 'work', path: '/api/queue?type=nothing' },
  'POST /api/queue': { door: 'json-queue', scope: 'produce', body: { type: 'matrix', data: 1 } },
  'PUT /api/queue/{id}': {
    ...{ door: 'json-queue', scope: 'work', path: id('/api/queue/{id}') },
    body: { status: 'completed' },
  },
  'GET /v1/messages': call('work', { path: '/v1/messages?topic=nothing' }),
  'POST /v1/messages': call('produce', { body: { body: 'x', topic: 'matrix' } }),
  'POST /v1/acks': call('work', { body: { acks: [{ id: 1, version: 1 }] } }),
  'GET /v1/stats': call('read'),
  'GET /api/tasks': call('read'),
  'POST /api/tasks': call('produce', { body: { type: 'matrix', payload: 1 } }),
  'DELETE /api/tasks': call('admin'),
  'GET /api/tasks/stats': call('read'),
  'POST /api/tasks/pause': call('admin'),
  'POST /api/tasks/resume': call('admin'),
  'POST /api/tasks/rate-limit': call('admin', { body: { rps: null } }),
  'GET /api/tasks/{id}': onTask('read'),
  'DELETE /api/tasks/{id}': onTask('admin'),
  'POST /api/tasks/{id}/retry': onTask('admin', '/retry'),
  'POST /api/tasks/{id}/cancel': onTask('admin', '/cancel'),
}

export const TOKENS = ['none', 'bad', 'produce', 'work', 'read', 'admin', 'root', 'revoked', 'expired'] as const
export type TokenKind = (typeof TOKENS)[number]

export const PEERS = ['loopback', 'allowed', 'other'] as const
export type Peer = (typeof PEERS)[number]

/** What the request says of where it goes and where it comes from. */
export const SETTINGS = ['plain', 'own page', 'foreign page', 'foreign image', 'foreign name'] as const
export type Setting = (typeof SETTINGS)[number]

export interface Asker {
  /** The server asks for tokens; ALLOW_IPS are set either way. */
  readonly asksForToken: boolean
  /** ALLOWED_HOSTS are set. */
  readonly hasNames: boolean
  readonly token: TokenKind
  readonly peer: Peer
  readonly setting: Setting
}

/** in: past every guard, whatever it then answers. */
export type Verdict = 'in' | 401 | 403

export function verdictOn({ door, scope }: Pick<Route, 'door' | 'scope'>, asker: Asker): Verdict {
  const { asksForToken, hasNames, token, peer, setting } = asker
  if (door === 'probe') return 'in'
  if (!asksForToken && peer === 'other') return 403
  if ((!asksForToken || hasNames) && setting === 'foreign name') return 403
  if (door === 'page') return 'in'
  if (setting === 'foreign page' || setting === 'foreign image') return 403
  if (!asksForToken) return 'in'
  const isWrong = token === 'bad' || token === 'revoked' || token === 'expired'
  if (door === 'session') return 'in'
  if (door === 'who') return isWrong ? 401 : 'in'
  if (door === 'json-queue' && token === 'none' && peer === 'allowed') return 'in'
  if (isWrong || token === 'none') return 401
  return token === 'root' || scopesOf(scope).some((one) => one === token) ? 'in' : 403
}

export function scopesOf(scope: Scope | readonly Scope[] | undefined): readonly Scope[] {
  return scope === undefined ? [] : [scope].flat()
}
