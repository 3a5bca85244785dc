/** Access settings and token sources that authentication and admission checks share. */
import type { IncomingMessage } from 'node:http'
import type { BlockList } from 'node:net'
import type { Caller } from '../../api/caller.ts'
import type { Keyring } from '../../engine/auth/keyring.ts'
import type { Sessions } from '../../engine/auth/sessions.ts'
import type { Throttle } from './throttle.ts'

export interface Access {
  readonly authToken: string | null
  readonly allowIps: BlockList | null
  readonly allowedHosts: readonly string[]
  readonly corsOrigins: readonly string[]
  readonly trustedProxies: BlockList | null
  /** Callers that are admitted by their address may also enqueue jobs of kind `command`. */
  readonly commandsWithoutToken: boolean
  /** Tokens of the database, refreshed every second. */
  readonly keys: Pick<Keyring, 'isLocked' | 'find' | 'findById' | 'used'>
  readonly throttle: Throttle
  /** Set when the dashboard is mounted with `authorize`: returns the caller or throws. Tokens and sessions are ignored then. */
  readonly authenticateByApplication?: (request: IncomingMessage) => Promise<Caller>
}

export interface SessionAccess extends Access {
  readonly sessions: Sessions
}

/** True once AUTH_TOKEN is set or the database holds a token. */
export function requiresToken(access: Pick<Access, 'authToken' | 'keys' | 'authenticateByApplication'>): boolean {
  return access.authenticateByApplication === undefined && (access.authToken !== null || access.keys.isLocked)
}

/** Actor of audit entries for requests without a valid token. */
export const ANONYMOUS = 'nobody' // plain-words: stored actor name in audit entries
