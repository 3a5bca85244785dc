/** Session cookie: HttpOnly and SameSite=Strict, so only this server's own pages send it. */
import type { IncomingMessage } from 'node:http'

const NAME = 'millrace_session'

export function readSessionCookie(request: IncomingMessage): string | null {
  const { cookie } = request.headers
  if (cookie === undefined) return null
  for (const pair of cookie.split(';')) {
    const [name = '', value = ''] = pair.trim().split('=', 2)
    if (name === NAME && value !== '') return value
  }
  return null
}

/** An empty secret deletes the cookie. */
export function sessionCookieHeader(
  secret: string,
  options: { readonly path: string; readonly isSecure: boolean },
): string {
  const parts = [`${NAME}=${secret}`, `Path=${options.path || '/'}`, 'HttpOnly', 'SameSite=Strict']
  if (options.isSecure) parts.push('Secure')
  if (secret === '') parts.push('Max-Age=0')
  return parts.join('; ')
}
