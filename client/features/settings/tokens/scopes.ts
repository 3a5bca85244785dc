/** Descriptions of the token scopes. */
import type { Scope } from '../../../../shared/scopes.ts'

export const SCOPE_TEXTS: Readonly<Record<Scope, string>> = {
  produce: 'enqueue jobs',
  work: 'claim and finish jobs',
  read: 'view everything',
  admin: 'manage jobs, settings and tokens',
}

/** In display order. */
export const SCOPE_NAMES = ['produce', 'work', 'read', 'admin'] as const satisfies readonly Scope[]
