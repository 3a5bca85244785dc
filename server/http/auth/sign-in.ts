/** Signing in and out of the dashboard: a token is traded for a session in a cookie. */
import express, { type Request, type RequestHandler, type Router } from 'express'
import { z } from 'zod'
import { QueueError } from '../../../shared/errors.ts'
import type { Caller } from '../../api/caller.ts'
import type { Engine } from '../../engine/engine.ts'
import { badInput } from '../../engine/verbs/input.ts'
import type { BaseOf } from '../dashboard/static-files.ts'
import { readText } from '../requests/json-body.ts'
import { sendJson } from '../requests/refusal.ts'
import { asksForToken, requireJson, requireOwnPage } from './guards.ts'
import { clientOf } from './proxy.ts'
import { cookieHeader, cookieOf, identifyPage, type PageAccess } from './session-cookie.ts'
import { type Checked, checkToken } from './token-check.ts'

const MAX_BYTES = 4_096
const signInInput = z.strictObject({ token: z.string().min(1).max(1_024) })

export interface SessionParts {
  readonly engine: Pick<Engine, 'sessions' | 'keyring' | 'audit'>
  readonly access: PageAccess
  readonly baseOf: BaseOf
}

export function sessionRouter({ engine, access, baseOf }: SessionParts): Router {
  const cookie = (request: Request, secret: string) =>
    cookieHeader(secret, { path: baseOf(request), isSecure: clientOf(request, access.trustedProxies).isSecure })

  const tellWho: RequestHandler = async (request, response) => {
    const caller = await whoIs(request, access)
    const by = caller && howIn(request, access)
    sendJson(response, 200, {
      ...described(caller),
      asksForToken: asksForToken(access),
      isSession: by === 'session',
      by,
    })
  }

  const signIn: RequestHandler = async (request, response) => {
    requireJson(request)
    const token = readToken(await readText(request, MAX_BYTES))
    if (!asksForToken(access)) throw new QueueError('WRONG_STATE', 'This server asks for no token: just go on.')
    const { address } = clientOf(request, access.trustedProxies)
    const checked = forPage(checkToken(token, access))
    if (!checked.ok) {
      await noteRefused(engine, access, address, checked.error)
      if (checked.error.code === 'UNAUTHORIZED') access.throttle.failed(address)
      throw checked.error
    }
    const secret = await engine.sessions.open(checked.key, checked.caller.actor, { address })
    response.setHeader('set-cookie', cookie(request, secret))
    sendJson(response, 200, { ...described(checked.caller), asksForToken: true, isSession: true, by: 'session' })
  }

  const signOut: RequestHandler = async (request, response) => {
    const secret = cookieOf(request)
    if (secret !== null) {
      const caller = await whoIs(request, access)
      await engine.sessions.close(secret, caller?.actor ?? 'nobody')
    }
    response.setHeader('set-cookie', cookie(request, ''))
    response.status(204).end()
  }

  const router = express.Router()
  router.use('/session', (request, _response, next) => {
    requireOwnPage(request, access)
    next()
  })
  router.get('/session', tellWho)
  router.post('/session', signIn)
  router.delete('/session', signOut)
  router.all('/session', ({ method }) => {
    throw new QueueError(
      'WRONG_METHOD',
      `A session is opened by POST, asked for by GET, ended by DELETE, not ${method}.`,
    )
  })
  return router
}

/** null: somebody without a token, or with a session that is over. A wrong token is refused as everywhere. */
async function whoIs(request: Request, access: PageAccess): Promise<Caller | null> {
  try {
    return await identifyPage(request, access)
  } catch (error) {
    const isNobody = error instanceof QueueError && error.code === 'UNAUTHORIZED'
    if (isNobody && request.headers.authorization === undefined) return null
    throw error
  }
}

/** What opened the door to somebody who is in. */
function howIn(request: Request, access: PageAccess): 'application' | 'open' | 'token' | 'session' {
  if (access.identifyVisitor) return 'application'
  if (!asksForToken(access)) return 'open'
  return request.headers.authorization === undefined ? 'session' : 'token'
}

function described(caller: Caller | null) {
  return { actor: caller?.actor ?? null, scopes: [...(caller?.scopes ?? [])], typePrefix: caller?.typePrefix ?? null }
}

function readToken(body: string): string {
  let given: unknown
  try {
    given = JSON.parse(body)
  } catch {
    throw new QueueError('BAD_INPUT', 'Send JSON: {"token":"…"}.')
  }
  const parsed = signInInput.safeParse(given)
  if (!parsed.success) throw badInput(parsed.error)
  return parsed.data.token
}

/** The dashboard shows the whole queue. */
function forPage(checked: Checked): Checked {
  if (!checked.ok) return checked
  const { scopes, typePrefix } = checked.caller
  const lacks = !scopes.has('read') ? 'the scope read' : typePrefix !== null ? 'all types, without a prefix' : null
  if (lacks === null) return checked
  return { ok: false, error: new QueueError('FORBIDDEN', `The dashboard needs a token for ${lacks}; this one is not.`) }
}

/** Who tried, never what they tried. */
async function noteRefused(
  engine: SessionParts['engine'],
  access: PageAccess,
  address: string,
  error: QueueError,
): Promise<void> {
  if (!access.throttle.mayNote()) return
  const details = { reason: error.message }
  await engine.audit({ actor: 'nobody', action: 'session.refused', target: address || 'unknown', details })
}
