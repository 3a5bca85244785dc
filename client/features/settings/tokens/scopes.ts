/** What a token may be for, in words. */
import type { Scope } from '../../../../shared/scopes.ts'

export const SCOPE_WORDS: Readonly<Record<Scope, string>> = {
  produce: 'enqueue jobs',
  work: 'claim and finish them',
  read: 'look at everything',
  admin: 'act on jobs, settings and tokens',
}

/** In the order in which they are shown. */
export const SCOPE_NAMES = ['produce', 'work', 'read', 'admin'] as const satisfies readonly Scope[]
