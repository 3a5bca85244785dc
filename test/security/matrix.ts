/**
 * Authorisation matrix: the required access of every procedure and route, and the expected result of a request to it. A procedure or
 * route without a row fails the suite, so that its access is always a decision.
 */
import type { Scope } from '../../shared/scopes.ts'

const MISSING = '018f6f0e-0000-7000-8000-00000000dead'

/** `procedure: scope`; one of several scopes is enough. */
export const PROCEDURE_SCOPES: Readonly<Record<string, Scope | readonly Scope[]>> = {
  enqueue: 'produce',
  enqueueMany: 'produce',
  // Each operation requires the scope of its verb.
  batch: ['produce', 'work', 'read', 'admin'],
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
  'groups.list': 'read',
  'groups.keys': 'read',
  'groups.key': 'read',
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
  'groups.update': 'admin',
  'settings.update': 'admin',
  'settings.pause': 'admin',
  'settings.resume': 'admin',
  'schedules.list': 'read',
  'schedules.get': 'read',
  'schedules.preview': 'read',
  'schedules.explain': 'read',
  'schedules.create': 'admin',
  'schedules.update': 'admin',
  'schedules.pause': 'admin',
  'schedules.resume': 'admin',
  'schedules.run': 'admin',
  'schedules.delete': 'admin',
  'schedules.backfill': 'admin',
  'schedules.declare': ['work', 'admin'],
  'bulk.start': 'admin',
  'bulk.cancel': 'admin',
  'bulk.undo': 'admin',
  'audit.list': 'admin',
  'tokens.list': 'admin',
  'tokens.create': 'admin',
  'tokens.revoke': 'admin',
}

/**
 * probe: public. page: admission only, no data of the queue. session: own pages, with or without a token. who: the same, but a wrong
 * token is rejected. call: a token with the scope. json-queue: the same, or an address in ALLOW_IPS without a token.
 */
export type RouteAccess = 'probe' | 'page' | 'session' | 'who' | 'call' | 'json-queue'

export interface Route {
  readonly access: RouteAccess
  readonly scope?: Scope | readonly Scope[]
  /** Path with `{id}` and query filled in; changes nothing, but passes validation up to the scope check. */
  readonly path?: string
  readonly body?: unknown
}

const id = (route: string) => route.replace('{id}', MISSING)
const call = (scope: Scope, more: Omit<Route, 'access' | 'scope'> = {}): Route => ({ access: 'call', scope, ...more })
const onTask = (scope: Scope, rest = ''): Route => call(scope, { path: id(`/api/tasks/{id}${rest}`) })

/** All routes except procedures: `METHOD /path`. */
export const ROUTES: Readonly<Record<string, Route>> = {
  'GET /health': { access: 'probe' },
  'GET /ready': { access: 'probe' },
  'GET /': { access: 'page' },
  'GET /index.html': { access: 'page' },
  'GET /dashboard': { access: 'page' },
  'GET /jobs': { access: 'page' },
  'GET /failures': { access: 'page' },
  'GET /groups': { access: 'page' },
  'GET /schedules': { access: 'page' },
  'GET /types': { access: 'page' },
  'GET /workers': { access: 'page' },
  'GET /new': { access: 'page' },
  'GET /settings': { access: 'page' },
  'GET /inbox': { access: 'page' },
  'GET /task-queue': { access: 'page' },
  'GET /tasks': { access: 'page' },
  'GET /tasks/stats': { access: 'page' },
  'GET /jobs/:id': { access: 'page', path: '/jobs/1' },
  'GET /tasks/:id': { access: 'page', path: '/tasks/1' },
  'GET /no/such/page': { access: 'page' },
  'GET /openapi.json': { access: 'page' },
  'GET /reference': { access: 'page' },
  'GET /session': { access: 'who' },
  'POST /session': { access: 'session', body: {} },
  'DELETE /session': { access: 'session' },
  'GET /metrics': call('read'),
  'GET /export': call('read', { path: '/export?filter={"type":"nothing"}' }),
  'GET /api/queue': { access: 'json-queue', scope: 'work', path: '/api/queue?type=nothing' },
  'POST /api/queue': { access: 'json-queue', scope: 'produce', body: { type: 'matrix', data: 1 } },
  'PUT /api/queue/{id}': {
    ...{ access: 'json-queue', scope: 'work', path: id('/api/queue/{id}') },
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

/** Host and origin headers of the request. */
export const SETTINGS = ['plain', 'own page', 'foreign page', 'foreign image', 'foreign name'] as const
export type Setting = (typeof SETTINGS)[number]

export interface Requester {
  /** The server requires tokens; ALLOW_IPS is set in both cases. */
  readonly requiresToken: boolean
  /** ALLOWED_HOSTS is set. */
  readonly hasNames: boolean
  readonly token: TokenKind
  readonly peer: Peer
  readonly setting: Setting
}

/** in: past all access checks, with any response. */
export type Verdict = 'in' | 401 | 403

export function verdictOn({ access, scope }: Pick<Route, 'access' | 'scope'>, requester: Requester): Verdict {
  const { requiresToken, hasNames, token, peer, setting } = requester
  if (access === 'probe') return 'in'
  if (!requiresToken && peer === 'other') return 403
  if ((!requiresToken || hasNames) && setting === 'foreign name') return 403
  if (access === 'page') return 'in'
  if (setting === 'foreign page' || setting === 'foreign image') return 403
  if (!requiresToken) return 'in'
  const isWrong = token === 'bad' || token === 'revoked' || token === 'expired'
  if (access === 'session') return 'in'
  if (access === 'who') return isWrong ? 401 : 'in'
  if (access === 'json-queue' && token === 'none' && peer === 'allowed') return 'in'
  if (isWrong || token === 'none') return 401
  return token === 'root' || scopesOf(scope).some((one) => one === token) ? 'in' : 403
}

export function scopesOf(scope: Scope | readonly Scope[] | undefined): readonly Scope[] {
  return scope === undefined ? [] : [scope].flat()
}
