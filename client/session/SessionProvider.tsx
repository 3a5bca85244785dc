/** Provides the session to the whole page. */
import type { ReactNode } from 'react'
import { SessionContext, useReadSession } from './use-session.ts'

export function SessionProvider({ children }: { children: ReactNode }) {
  return <SessionContext value={useReadSession()}>{children}</SessionContext>
}
