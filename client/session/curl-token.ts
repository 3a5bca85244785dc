/** What a line for curl needs where the server asks for a token: its name in the shell, never the token itself. */
import { useSession } from './use-session.ts'

export function useCurlToken(): string {
  return useSession()?.isSession ? ' -H "authorization: Bearer $AUTH_TOKEN"' : ''
}
