/** Shows the page, or the way in when the server wants to know who is there first. */
import { useQueryClient } from '@tanstack/react-query'
import type { ReactNode } from 'react'
import { api, asksForToken } from '../api.ts'
import { SignIn } from '../session/SignIn.tsx'

export function TokenGate({ children }: { children: ReactNode }) {
  const facts = api.facts.useQuery()
  const queries = useQueryClient()
  if (!asksForToken(facts.error)) return children
  return <SignIn onSignedIn={() => void queries.resetQueries()} />
}
