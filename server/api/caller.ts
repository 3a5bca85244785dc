/** The caller of a procedure and its permissions: scopes, type prefix, commands. */

import { QueueError } from '../../shared/errors.ts'
import { SCOPES, type Scope } from '../../shared/scopes.ts'
import type { Kind } from '../../shared/status.ts'
import { parseActor } from '../../shared/verbs/verb-inputs.ts'

export interface Caller {
  /** The name in the audit trail. */
  readonly actor: string
  readonly scopes: ReadonlySet<Scope>
  /** Restricts the caller to types with this prefix and their jobs; null: no restriction. */
  readonly typePrefix: string | null
  /**
   * May enqueue jobs of kind `command`, which run as the user of their worker, and create tokens, which could be used for that.
   * Not granted to callers that were admitted by their address alone: every user of the machine has that address.
   */
  readonly mayRunCommands: boolean
}

/** Adds the actor to a parsed input. A host application may return any name for its user, so the name is checked here. */
export function acting<Params extends object>({ caller }: { readonly caller: Caller }, params: Params) {
  return { ...params, actor: parseActor(caller.actor) }
}

/** Any one of the scopes is enough. `what` is the name of the action in the error message. */
export function requireScope({ scopes }: Pick<Caller, 'scopes'>, accepted: readonly Scope[], what: string): void {
  if (accepted.some((scope) => scopes.has(scope))) return
  throw new QueueError('FORBIDDEN', `${what} needs a token with the scope ${accepted.join(' or ')}.`, {
    scope: accepted[0],
  })
}

const HOW_TO_ALLOW =
  'set AUTH_TOKEN or run queuectl token create beside the database, and send the token; ' +
  'or start the server with COMMANDS_WITHOUT_TOKEN=allow'

/** A job of kind `command` runs with all rights of its worker's user. */
export function requireCommands({ mayRunCommands }: Caller, jobs: readonly { readonly kind: Kind }[]): void {
  if (mayRunCommands || !jobs.some(({ kind }) => kind === 'command')) return
  throw new QueueError('FORBIDDEN', `Commands are not accepted without a token: ${HOW_TO_ALLOW}.`)
}

/** Otherwise a caller without a token could create one and enqueue commands with it. */
export function requireMayCreateTokens({ mayRunCommands }: Caller): void {
  if (mayRunCommands) return
  throw new QueueError('FORBIDDEN', `The first token cannot be created over the network: ${HOW_TO_ALLOW}.`)
}

const ALL_SCOPES: ReadonlySet<Scope> = new Set(SCOPES)

/** All scopes and all types. */
export function fullAccess(actor: string, { mayRunCommands }: Pick<Caller, 'mayRunCommands'>): Caller {
  return { actor, scopes: ALL_SCOPES, typePrefix: null, mayRunCommands }
}
