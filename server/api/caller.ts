/** Who calls, and what they may do: every procedure asks for one scope. */

import { QueueError } from '../../shared/errors.ts'
import { SCOPES, type Scope } from '../../shared/scopes.ts'

export interface Caller {
  /** The name in the audit trail. */
  readonly actor: string
  readonly scopes: ReadonlySet<Scope>
  /** Only types that begin with this, and their jobs; null: all of them. */
  readonly typePrefix: string | null
}

/** `what` is what they asked for, in their words. */
export function requireScope({ scopes }: Pick<Caller, 'scopes'>, scope: Scope, what: string): void {
  if (scopes.has(scope)) return
  throw new QueueError('FORBIDDEN', `${what} needs a token with the scope ${scope}.`, { scope })
}

/** Whoever may do everything. */
export function fullAccess(actor: string): Caller {
  return { actor, scopes: new Set(SCOPES), typePrefix: null }
}
