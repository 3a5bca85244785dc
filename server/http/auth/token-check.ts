/** What a token is worth here: AUTH_TOKEN, one of the database, or nothing. */
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

/** Compared as digests: equal length, and no hint of how much of a guess was right. */
export function checkToken(given: string, { authToken, keys }: Keys): Checked {
  const hash = digest(given)
  if (authToken !== null && sameDigest(hash, digest(authToken))) return rootCaller(authToken)
  return callerOf(keys.find(hash), keys)
}

/** The caller behind a session: it is worth what its token is worth now. */
export function checkSession(key: SessionKey | null, { keys }: Keys): Checked {
  if (key === null) return refused('You are not signed in any more; sign in again with a token.')
  return 'rootToken' in key ? rootCaller(key.rootToken) : callerOf(keys.findById(key.tokenId), keys)
}

function rootCaller(rootToken: string): Checked {
  return { ok: true, caller: fullAccess('token', { mayRunCommands: true }), key: { rootToken } }
}

function callerOf(key: Key | null, keys: Keys['keys']): Checked {
  if (key === null) return refused('This token is not valid here; it may have been revoked.')
  const { id, name, scopes, typePrefix } = key.token
  if (key.isExpired) return refused(`The token ${name} has expired; ask for a new one.`)
  keys.used(key.token)
  return {
    ok: true,
    caller: { actor: `token:${name}`, scopes: new Set(scopes), typePrefix, mayRunCommands: true },
    key: { tokenId: id },
  }
}

function refused(message: string): Checked {
  return { ok: false, error: new QueueError('UNAUTHORIZED', message) }
}
