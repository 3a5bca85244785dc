/** The cookie of whoever is signed in: for this server's own pages alone, and out of reach of their scripts. */
import type { IncomingMessage } from 'node:http'
import type { Caller } from '../../api/caller.ts'
import type { Sessions } from '../../engine/auth/sessions.ts'
import { type Access, asksForToken, identify, requireOwnPage } from './guards.ts'
import { checkSession } from './token-check.ts'

const NAME = 'millrace_session'

export interface PageAccess extends Access {
  readonly sessions: Sessions
}

export function cookieOf(request: IncomingMessage): string | null {
  for (const pair of (request.headers.cookie ?? '').split(';')) {
    const [name = '', value = ''] = pair.trim().split('=', 2)
    if (name === NAME && value !== '') return value
  }
  return null
}

/** An empty secret takes the cookie away. */
export function cookieHeader(secret: string, options: { readonly path: string; readonly isSecure: boolean }): string {
  const parts = [`${NAME}=${secret}`, `Path=${options.path || '/'}`, 'HttpOnly', 'SameSite=Strict']
  if (options.isSecure) parts.push('Secure')
  if (secret === '') parts.push('Max-Age=0')
  return parts.join('; ')
}

/** As `identify`, and the session of our own page counts where no token is sent. An application's word comes before both. */
export async function identifyPage(request: IncomingMessage, access: PageAccess): Promise<Caller> {
  if (access.identifyVisitor) return access.identifyVisitor(request)
  const cookie = cookieOf(request)
  if (!asksForToken(access) || cookie === null || request.headers.authorization !== undefined) {
    return identify(request, access)
  }
  requireOwnPage(request, access)
  const checked = checkSession(await access.sessions.find(cookie, access.authToken), access)
  if (checked.ok) return checked.caller
  throw checked.error
}
