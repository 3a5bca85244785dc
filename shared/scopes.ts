/** What a token may be for. */

export const SCOPES = ['produce', 'work', 'read', 'admin'] as const
export type Scope = (typeof SCOPES)[number]
