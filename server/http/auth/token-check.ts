/** Token check: compares a token with AUTH_TOKEN and with the tokens of the database. */
import { QueueError } from '../../../shared/errors.ts'
import { type Caller, fullAccess } from '../../api/caller.ts'
import { digest, sameDigest } from '../../engine/auth/digest.ts'
import type { Key, Keyring } from '../../engine/auth/keyring.ts'
import type { SessionKey } from '../../engine/auth/sessions.ts'

export interface Keys {
  readonly authToken: string | null
  readonly keys: Pick<Keyring, 'find' | 'findById' | 'used'>
}

export type Checked =
  | { readonly ok: true; readonly caller: Caller; readonly key: SessionKey }
  | { readonly ok: false; readonly error: QueueError }

/** AUTH_TOKEN is compared in constant time. Other tokens are found by their digest, so the time shows nothing about a guess. */
export function checkToken(token: string, { authToken, keys }: Keys): Checked {
  const hash = digest(token)
  if (authToken !== null && sameDigest(hash, digest(authToken))) return rootCaller(authToken)
  return callerOf(keys.find(hash), keys)
}

/** A session has the scopes that its token has now; null means that the session does not exist or has ended. */
export function checkSession(key: SessionKey | null, { keys }: Keys): Checked {
  if (key === null) return unauthorized('You are not signed in any more; sign in again with a token.')
  return 'rootToken' in key ? rootCaller(key.rootToken) : callerOf(keys.findById(key.tokenId), keys)
}

function rootCaller(rootToken: string): Checked {
  return { ok: true, caller: fullAccess('token', { mayRunCommands: true }), key: { rootToken } }
}

function callerOf(key: Key | null, keys: Keys['keys']): Checked {
  if (key === null) return unauthorized('This token is not valid here; it may have been revoked.')
  const { id, name, scopes, typePrefix } = key.token
  if (key.isExpired) return unauthorized(`The token ${name} has expired; create a new one.`)
  keys.used(key.token)
  return {
    ok: true,
    caller: { actor: `token:${name}`, scopes: new Set(scopes), typePrefix, mayRunCommands: true },
    key: { tokenId: id },
  }
}

function unauthorized(message: string): Checked {
  return { ok: false, error: new QueueError('UNAUTHORIZED', message) }
}
