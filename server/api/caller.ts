/** Who calls, and what they may do: every procedure asks for one scope. */

import { QueueError } from '../../shared/errors.ts'
import { SCOPES, type Scope } from '../../shared/scopes.ts'
import type { Kind } from '../../shared/status.ts'

export interface Caller {
  /** The name in the audit trail. */
  readonly actor: string
  readonly scopes: ReadonlySet<Scope>
  /** Only types that begin with this, and their jobs; null: all of them. */
  readonly typePrefix: string | null
  /**
   * May enqueue jobs of kind `command`, which run as the user of their worker, and make tokens, which could do that. Not granted to
   * callers whom only their address let in, because every user of the machine has that.
   */
  readonly mayRunCommands: boolean
}

/** `what` is what they asked for, in their words; any one of the scopes is enough. */
export function requireScope({ scopes }: Pick<Caller, 'scopes'>, enough: readonly Scope[], what: string): void {
  if (enough.some((scope) => scopes.has(scope))) return
  throw new QueueError('FORBIDDEN', `${what} needs a token with the scope ${enough.join(' or ')}.`, {
    scope: enough[0],
  })
}

const HOW_TO_ALLOW =
  'set AUTH_TOKEN or run queuectl token create beside the database, and send the token; ' +
  'or start the server with COMMANDS_WITHOUT_TOKEN=allow'

/** A job of kind `command` can do whatever its worker's user can. */
export function requireCommands({ mayRunCommands }: Caller, jobs: readonly { readonly kind: Kind }[]): void {
  if (mayRunCommands || !jobs.some(({ kind }) => kind === 'command')) return
  throw new QueueError('FORBIDDEN', `Commands are not accepted without a token: ${HOW_TO_ALLOW}.`)
}

/** Otherwise a caller without a token could make one and enqueue commands with it. */
export function requireMayMakeTokens({ mayRunCommands }: Caller): void {
  if (mayRunCommands) return
  throw new QueueError('FORBIDDEN', `The first token is not made over the network: ${HOW_TO_ALLOW}.`)
}

/** All scopes and all types. */
export function fullAccess(actor: string, { mayRunCommands }: Pick<Caller, 'mayRunCommands'>): Caller {
  return { actor, scopes: new Set(SCOPES), typePrefix: null, mayRunCommands }
}
