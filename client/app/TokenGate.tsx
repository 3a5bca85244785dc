/** Shows the page, the sign-in form or a no-access message, depending on the auth state. */
import { Fragment, type ReactNode, useState } from 'react'
import { useAuthState } from '../session/auth-state.ts'
import { useClearCount } from '../session/unsent-input.ts'
import { useSession } from '../session/use-session.ts'
import { Button } from '../ui/Button.tsx'
import { Panel } from '../ui/Panel.tsx'
import { SignIn } from './SignIn.tsx'

export function TokenGate({ children }: { children: ReactNode }) {
  const authState = useAuthState()
  const session = useSession()
  const clearCount = useClearCount()
  const [wasSignedIn, setWasSignedIn] = useState(false)
  if (session?.isSession && !wasSignedIn) setWasSignedIn(true)
  if (authState === 'signed-out') return <SignIn isOver={wasSignedIn} />
  return authState === 'forbidden' ? <NoAccess /> : <Fragment key={clearCount}>{children}</Fragment>
}

function NoAccess() {
  const isMounted = useSession()?.by === 'application'
  return (
    <div className="mx-auto mt-8 max-w-md">
      <Panel title={isMounted ? 'You no longer have access to this queue' : 'Access denied'} isPage>
        <p role="alert" className="mb-4 text-muted">
          {isMounted
            ? 'Your session in the application may have expired, or your permissions have changed. Sign in there again, then reload.'
            : 'The server may accept only certain clients or host names. Ask its operator for access, then reload.'}
        </p>
        <Button onClick={() => location.reload()}>Reload</Button>
      </Panel>
    </div>
  )
}
