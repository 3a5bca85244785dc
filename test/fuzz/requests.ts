/** Random requests to every route: valid and invalid methods, bodies and headers. */
import { appRouter } from '../../server/api/router.ts'
import { anyBody, anyJson, anyWord, type Chance } from './values.ts'

export interface Request {
  readonly method: string
  readonly path: string
  readonly headers: Readonly<Record<string, string>>
  readonly body: string | null
}

/** Without `events`, whose response never ends. */
const PROCEDURES = Object.keys(appRouter._def.procedures).filter((name) => name !== 'events')

const ROUTES = [
  ...['/api/queue', '/api/queue/:id', '/v1/messages', '/v1/acks', '/v1/stats', '/api/tasks', '/api/tasks/:id'],
  ...[
    '/api/tasks/:id/retry',
    '/api/tasks/:id/cancel',
    '/api/tasks/stats',
    '/api/task-queue/tasks',
    '/api/tasks/rate-limit',
  ],
  ...['/api/task-queue/tasks/:id', '/api/task-queue/tasks/pause', '/api/task-queue/tasks/resume', '/', '/nowhere'],
  ...['/openapi.json', '/reference', '/metrics', '/session', '/dashboard', '/health', '/trpc', '/api', '/v1'],
] as const
const METHODS = ['GET', 'POST', 'PUT', 'DELETE', 'PATCH', 'OPTIONS', 'HEAD'] as const
const QUERY = [
  'limit',
  'topic',
  'visibility_timeout',
  'type',
  'status',
  'offset',
  'input',
  'batch',
  'older_than',
] as const
const CONTENT_TYPES = [
  'text/plain',
  'application/x-www-form-urlencoded',
  'multipart/form-data; boundary=x',
  'json',
] as const

/** `ids` of existing jobs: about a third of the requests use one of them. */
export function anyRequest(chance: Chance, ids: readonly string[]): Request {
  const route = chance.once(2)
    ? `/trpc/${anyProcedure(chance)}`
    : chance.pick(ROUTES).replace(':id', anyId(chance, ids))
  const method = anyMethod(chance, route)
  const isSent = method !== 'GET' && method !== 'HEAD'
  const body = isSent ? withId(chance, anyBody(chance), ids) : null
  return { method, path: route + anyQuery(chance, ids, route), headers: anyHeaders(chance, isSent), body }
}

function anyProcedure(chance: Chance): string {
  if (chance.once(30)) return anyWord(chance)
  const [first = 'get', ...others] = PROCEDURES
  const one = () => chance.pick([first, ...others])
  return chance.once(10) ? `${one()},${one()}` : one()
}

function anyMethod(chance: Chance, route: string): string {
  if (chance.once(6)) return chance.pick(METHODS)
  return chance.pick(route.startsWith('/trpc') ? ['GET', 'POST'] : ['GET', 'POST', 'POST', 'PUT', 'DELETE'])
}

function anyId(chance: Chance, ids: readonly string[]): string {
  const [first, ...others] = ids
  if (first !== undefined && chance.once(2)) return chance.pick([first, ...others])
  return chance.once(2) ? '01936d3f-1234-7abc-8ef0-123456789abc' : anyWord(chance)
}

/** Replaces the value of half of the `id` fields by the id of a job. */
function withId(chance: Chance, body: string, ids: readonly string[]): string {
  return body.replace(/"id":(?:"[^"]*"|[^,}{[\]]+)/g, (found) =>
    chance.once(2) ? `"id":"${anyId(chance, ids)}"` : found,
  )
}

function anyQuery(chance: Chance, ids: readonly string[], route: string): string {
  if (route.startsWith('/trpc') && chance.once(2)) {
    const input = withId(chance, chance.once(3) ? anyJson(chance) : anyBody(chance).slice(0, 4_000), ids)
    return `?${chance.once(6) ? 'batch=1&' : ''}input=${encodeURIComponent(input)}`
  }
  if (!chance.once(3)) return ''
  const pairs = Array.from({ length: 1 + chance.upTo(2) }, () => `${chance.pick(QUERY)}=${anyWord(chance)}`)
  return `?${pairs.join('&')}`
}

function anyHeaders(chance: Chance, isSent: boolean): Record<string, string> {
  const headers: Record<string, string> = isSent ? { 'content-type': 'application/json' } : {}
  if (isSent && chance.once(15)) headers['content-type'] = chance.pick(CONTENT_TYPES)
  if (chance.once(40)) headers.origin = chance.pick(['https://evil.example', 'null', 'http://127.0.0.1', 'x'])
  if (chance.once(60)) headers.host = chance.pick(['evil.example', 'localhost', '[::1]', '127.0.0.1:1', ''])
  if (chance.once(60)) headers.authorization = chance.pick(['Bearer x', 'Basic eDp5', 'Bearer', 'x'])
  if (chance.once(60)) headers.accept = chance.pick(['text/html', 'application/jsonl', '*/*', 'text/event-stream'])
  if (chance.once(80)) headers.traceparent = chance.pick(['x', '00-0-0-0', 'ff-00000000000000000000000000000000-0-00'])
  if (chance.once(80)) headers['trpc-batch-mode'] = chance.pick(['stream', 'x'])
  return headers
}
