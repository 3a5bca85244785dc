/** Authentication: maps the bearer token or session cookie of a request to a caller. */
import type { IncomingMessage } from 'node:http'
import { QueueError } from '../../../shared/errors.ts'
import { type Caller, fullAccess } from '../../api/caller.ts'
import { type Access, requiresToken, type SessionAccess } from './access.ts'
import { contains } from './address.ts'
import { requireOwnPage } from './origin-check.ts'
import { clientOf } from './proxy.ts'
import { readSessionCookie } from './session-cookie.ts'
import { checkSession, checkToken } from './token-check.ts'

/** For tRPC, export, metrics and sign-in: the application's `authorize`, then a bearer token, then a session cookie. */
export async function authenticate(request: IncomingMessage, access: SessionAccess): Promise<Caller> {
  if (access.authenticateByApplication) return access.authenticateByApplication(request)
  const cookie = readSessionCookie(request)
  if (!requiresToken(access) || cookie === null || request.headers.authorization !== undefined) {
    return authenticateByToken(request, access)
  }
  return authenticateBySession(request, cookie, access)
}

/** For the REST adapters: cookies are ignored. */
export function authenticateByToken(request: IncomingMessage, access: Access): Caller {
  if (!requiresToken(access)) return callerWithoutToken('local', access)
  const token = readBearerToken(request)
  if (token === undefined) {
    throw new QueueError('UNAUTHORIZED', 'This server requires a token; send the header Authorization: Bearer <token>.')
  }
  const checked = checkToken(token, access)
  if (checked.ok) return checked.caller
  access.throttle.recordFailure(clientOf(request, access.trustedProxies).address)
  throw checked.error
}

/** For /api/queue only: addresses in ALLOW_IPS need no token there, even when the rest of the server requires one. */
export function authenticateForJsonQueue(request: IncomingMessage, access: Access): Caller {
  const { address, untrustedHeader } = clientOf(request, access.trustedProxies)
  const isAllowed = access.allowIps !== null && untrustedHeader === null && contains(access.allowIps, address)
  if (isAllowed && requiresToken(access) && request.headers.authorization === undefined)
    return callerWithoutToken(`ip:${address}`, access)
  return authenticateByToken(request, access)
}

async function authenticateBySession(request: IncomingMessage, cookie: string, access: SessionAccess): Promise<Caller> {
  requireOwnPage(request, access)
  const checked = checkSession(await access.sessions.find(cookie, access.authToken), access)
  if (checked.ok) return checked.caller
  throw checked.error
}

function callerWithoutToken(actor: string, { commandsWithoutToken }: Access): Caller {
  return fullAccess(actor, { mayRunCommands: commandsWithoutToken })
}

function readBearerToken(request: IncomingMessage): string | undefined {
  return /^Bearer +(\S+)$/i.exec(request.headers.authorization ?? '')?.[1]
}
