/** `/session`: exchanges a token for a session cookie, and ends the session. */
import express, { type Request, type RequestHandler, type Router } from 'express'
import { z } from 'zod'
import { QueueError } from '../../../shared/errors.ts'
import { badInput } from '../../../shared/verbs/parse-input.ts'
import type { Caller } from '../../api/caller.ts'
import type { Engine } from '../../engine/engine.ts'
import { sendJson } from '../requests/error-response.ts'
import { readText, requireJson } from '../requests/read-json.ts'
import { ANONYMOUS, requiresToken, type SessionAccess } from './access.ts'
import { authenticate } from './authenticate.ts'
import { requireOwnPage } from './origin-check.ts'
import { clientOf } from './proxy.ts'
import { readSessionCookie, sessionCookieHeader } from './session-cookie.ts'
import { type Checked, checkToken } from './token-check.ts'

const MAX_BYTES = 4_096
const signInInput = z.strictObject({ token: z.string().min(1).max(1_024) })

export interface SessionParts {
  readonly engine: Pick<Engine, 'sessions' | 'keyring' | 'audit'>
  readonly access: SessionAccess
  /** The path of the cookie. */
  readonly basePathOf: (request: Request) => string
}

export function sessionRouter({ engine, access, basePathOf }: SessionParts): Router {
  const cookieHeader = (request: Request, secret: string) =>
    sessionCookieHeader(secret, {
      path: basePathOf(request),
      isSecure: clientOf(request, access.trustedProxies).isSecure,
    })

  const showCaller: RequestHandler = async (request, response) => {
    const caller = await callerOrNull(request, access)
    const by = caller && authMethodOf(request, access)
    sendJson(response, 200, {
      ...describeCaller(caller),
      asksForToken: requiresToken(access),
      isSession: by === 'session',
      by,
    })
  }

  const signIn: RequestHandler = async (request, response) => {
    requireJson(request)
    const token = readToken(await readText(request, MAX_BYTES))
    if (!requiresToken(access)) {
      throw new QueueError('WRONG_STATE', 'This server requires no token; continue without signing in.')
    }
    const { address } = clientOf(request, access.trustedProxies)
    const checked = requireDashboardAccess(checkToken(token, access))
    if (!checked.ok) {
      await auditRejectedSignIn(engine, access, address, checked.error)
      if (checked.error.code === 'UNAUTHORIZED') access.throttle.recordFailure(address)
      throw checked.error
    }
    const secret = await engine.sessions.open(checked.key, checked.caller.actor, { address })
    response.setHeader('set-cookie', cookieHeader(request, secret))
    sendJson(response, 200, { ...describeCaller(checked.caller), asksForToken: true, isSession: true, by: 'session' })
  }

  const signOut: RequestHandler = async (request, response) => {
    const secret = readSessionCookie(request)
    if (secret !== null) {
      const caller = await callerOrNull(request, access)
      await engine.sessions.close(secret, caller?.actor ?? ANONYMOUS)
    }
    response.setHeader('set-cookie', cookieHeader(request, ''))
    response.status(204).end()
  }

  const router = express.Router()
  router.use('/session', (request, _response, next) => {
    requireOwnPage(request, access)
    next()
  })
  router.get('/session', showCaller)
  router.post('/session', signIn)
  router.delete('/session', signOut)
  router.all('/session', ({ method }) => {
    throw new QueueError(
      'WRONG_METHOD',
      `/session does not support ${method}; use GET to read, POST to open or DELETE to end a session.`,
    )
  })
  return router
}

/** null: no token was sent, or the session has ended. A wrong token throws. */
async function callerOrNull(request: Request, access: SessionAccess): Promise<Caller | null> {
  try {
    return await authenticate(request, access)
  } catch (error) {
    const isUnauthorized = error instanceof QueueError && error.code === 'UNAUTHORIZED'
    if (isUnauthorized && request.headers.authorization === undefined) return null
    throw error
  }
}

/** The way in which an authenticated request was admitted. */
function authMethodOf(request: Request, access: SessionAccess): 'application' | 'open' | 'token' | 'session' {
  if (access.authenticateByApplication) return 'application'
  if (!requiresToken(access)) return 'open'
  return request.headers.authorization === undefined ? 'session' : 'token'
}

function describeCaller(caller: Caller | null) {
  return { actor: caller?.actor ?? null, scopes: [...(caller?.scopes ?? [])], typePrefix: caller?.typePrefix ?? null }
}

function readToken(body: string): string {
  let given: unknown
  try {
    given = JSON.parse(body)
  } catch {
    throw new QueueError('BAD_INPUT', 'The body is not JSON; send {"token":"…"}.')
  }
  const parsed = signInInput.safeParse(given)
  if (!parsed.success) throw badInput(parsed.error)
  return parsed.data.token
}

/** The dashboard shows the whole queue, so a token with a type prefix is rejected. */
function requireDashboardAccess(checked: Checked): Checked {
  if (!checked.ok) return checked
  const { scopes, typePrefix } = checked.caller
  const missing = !scopes.has('read') ? 'with the scope read' : typePrefix !== null ? 'without a type prefix' : null
  if (missing === null) return checked
  return {
    ok: false,
    error: new QueueError('FORBIDDEN', `The dashboard needs a token ${missing}; sign in with another token.`),
  }
}

/** Records the address, never the token. */
async function auditRejectedSignIn(
  engine: SessionParts['engine'],
  access: SessionAccess,
  address: string,
  error: QueueError,
): Promise<void> {
  if (!access.throttle.mayAudit()) return
  const details = { reason: error.message }
  await engine.audit({ actor: ANONYMOUS, action: 'session.refused', target: address || 'unknown', details })
}
