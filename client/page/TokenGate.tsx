/** Shows the page, or a plain word when the server wants a token the browser cannot give. */
import type { ReactNode } from 'react'
import { api, asksForToken } from '../api.ts'
import { Button, Panel } from './Panel.tsx'

export function TokenGate({ children }: { children: ReactNode }) {
  const facts = api.facts.useQuery()
  if (!asksForToken(facts.error)) return children
  return (
    <Panel title="Token needed">
      <p className="mb-4 max-w-prose text-muted">
        This server asks for a token. Signing in from the browser is not available yet; use the API with an{' '}
        <code className="font-mono text-ink text-xs">Authorization: Bearer</code> header.
      </p>
      <Button onClick={() => void facts.refetch()}>Try again</Button>
    </Panel>
  )
}
