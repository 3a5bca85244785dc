/** Says before anybody tries that a token is not enough for what a page is for; nothing where it is. */
import type { ReactNode } from 'react'
import type { Scope } from '../../shared/scopes.ts'
import { useMay } from './use-session.ts'

export function Lacking({ scope, children }: { scope: Scope; children: ReactNode }) {
  if (useMay(scope)) return null
  return (
    <p
      data-testid="lacking"
      data-tone="pending"
      className="mb-4 rounded-lg bg-tone/14 px-4 py-2.5 text-tone-ink sm:px-5"
    >
      {children}
    </p>
  )
}
