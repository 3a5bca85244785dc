/** Signing in and out: the server keeps the session, the browser a cookie that no script can read. */
import { addressOf } from '../lib/api.ts'
import { door } from './auth-state.ts'
import { tellOtherTabs } from './other-tabs.ts'
import { forgetTyped, typedBy } from './unsent-input.ts'

export interface SessionInfo {
  /** null: nobody. */
  readonly actor: string | null
  readonly scopes: readonly string[]
  readonly asksForToken: boolean
  /** Somebody signed in here, as opposed to a server that asks for no token. */
  readonly isSession: boolean
  /** What opened the door: nothing had to, a header, our cookie, or the application that has mounted this page. */
  readonly by: 'open' | 'token' | 'session' | 'application' | null
}

export async function readSession(): Promise<SessionInfo> {
  const asked = door.ask()
  const response = await fetch(addressOf('session'))
  if (response.status === 403) door.found('shut', asked)
  if (!response.ok) throw new Error(`The server answered with ${response.status}.`)
  const session: SessionInfo = await response.json()
  // Where everybody is let in, whoever signs in first may be who was here: the first token is made on this page.
  typedBy(session.by === 'open' ? null : session.actor)
  door.found(session.asksForToken && session.actor === null ? 'signed-out' : 'open', asked)
  return session
}

/** null: signed in; otherwise why not, in words. */
export async function signIn(token: string): Promise<string | null> {
  const headers = { 'content-type': 'application/json' }
  try {
    const response = await fetch(addressOf('session'), { method: 'POST', headers, body: JSON.stringify({ token }) })
    if (response.ok) {
      const session: SessionInfo = await response.json()
      typedBy(session.actor)
      door.enter()
      tellOtherTabs('look')
      return null
    }
    const body: { readonly error?: { readonly message?: string } } = await response.json()
    return body.error?.message ?? `The server answered with ${response.status}.`
  } catch {
    return 'The server gave no answer; try again in a moment.'
  }
}

export async function signOut(): Promise<void> {
  const { ok } = await fetch(addressOf('session'), { method: 'DELETE' })
  if (!ok) return
  forgetTyped()
  tellOtherTabs('left')
}
