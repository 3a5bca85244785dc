/** Sign-in and sign-out. The session lives on the server; the browser holds an HttpOnly cookie. */
import { addressOf } from '../lib/api.ts'
import { authStore } from './auth-state.ts'
import { notifyOtherTabs } from './other-tabs.ts'
import { clearUnsentInput, setInputOwner } from './unsent-input.ts'

export interface SessionInfo {
  /** null: not signed in. */
  readonly actor: string | null
  readonly scopes: readonly string[]
  readonly asksForToken: boolean
  /** Signed in with a session cookie, as opposed to a server that requires no token. */
  readonly isSession: boolean
  /** What granted access: no auth required, a header, the session cookie, or the application that mounts this page. */
  readonly by: 'open' | 'token' | 'session' | 'application' | null
}

export async function readSession(): Promise<SessionInfo> {
  const request = authStore.nextRequest()
  const response = await fetch(addressOf('session'))
  if (response.status === 403) authStore.update('forbidden', request)
  if (!response.ok) throw new Error(`The server answered with status ${response.status}.`)
  const session: SessionInfo = await response.json()
  // Without auth the user is unknown. The user who creates the first token here is then signed in and keeps the input.
  setInputOwner(session.by === 'open' ? null : session.actor)
  authStore.update(session.asksForToken && session.actor === null ? 'signed-out' : 'allowed', request)
  return session
}

/** null: signed in. Otherwise the error message to show. */
export async function signIn(token: string): Promise<string | null> {
  const headers = { 'content-type': 'application/json' }
  try {
    const response = await fetch(addressOf('session'), { method: 'POST', headers, body: JSON.stringify({ token }) })
    if (response.ok) {
      const session: SessionInfo = await response.json()
      setInputOwner(session.actor)
      authStore.signedIn()
      notifyOtherTabs('recheck')
      return null
    }
    const body: { readonly error?: { readonly message?: string } } = await response.json()
    return body.error?.message ?? `The server answered with status ${response.status}.`
  } catch {
    return 'The server did not answer. Try again in a moment.'
  }
}

export async function signOut(): Promise<void> {
  const { ok } = await fetch(addressOf('session'), { method: 'DELETE' })
  if (!ok) return
  clearUnsentInput()
  notifyOtherTabs('signed-out')
}
