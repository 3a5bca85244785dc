/** Who calls, and what they may do: every procedure asks for one scope. */

export const SCOPES = ['produce', 'work', 'read', 'admin'] as const
export type Scope = (typeof SCOPES)[number]

export interface Caller {
  /** The name in the audit trail. */
  readonly actor: string
  readonly scopes: ReadonlySet<Scope>
}

/** Whoever may do everything. */
export function fullAccess(actor: string): Caller {
  return { actor, scopes: new Set(SCOPES) }
}
