/** Scopes of access tokens. */

export const SCOPES = ['produce', 'work', 'read', 'admin'] as const
export type Scope = (typeof SCOPES)[number]
