/** Authorization header for copied curl commands: the name of a shell variable, never the token. */
import { useSession } from './use-session.ts'

export function useCurlToken(): string {
  return useSession()?.isSession ? ' -H "authorization: Bearer $AUTH_TOKEN"' : ''
}
