/** Notice that the current token lacks a scope this page needs; renders nothing when it has it. */
import type { ReactNode } from 'react'
import type { Scope } from '../../shared/scopes.ts'
import { useHasScope } from './use-session.ts'

export function MissingScope({ scope, children }: { scope: Scope; children: ReactNode }) {
  if (useHasScope(scope)) return null
  return (
    <p
      data-testid="missing-scope"
      data-tone="pending"
      className="mb-4 rounded-lg bg-tone/14 px-4 py-2.5 text-tone-ink sm:px-5"
    >
      {children}
    </p>
  )
}
