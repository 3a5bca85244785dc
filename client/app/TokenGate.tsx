/** Shows the page, the way in when the server wants to know who is there first, or that there is none. */
import { Fragment, type ReactNode, useState } from 'react'
import { useDoor } from '../session/auth-state.ts'
import { SignIn } from '../session/SignIn.tsx'
import { useTimesForgotten } from '../session/unsent-input.ts'
import { useSession } from '../session/use-session.ts'
import { Button, Panel } from '../ui/Panel.tsx'

export function TokenGate({ children }: { children: ReactNode }) {
  const door = useDoor()
  const session = useSession()
  const round = useTimesForgotten()
  const [wasIn, setWasIn] = useState(false)
  if (session?.isSession && !wasIn) setWasIn(true)
  if (door === 'signed-out') return <SignIn isOver={wasIn} />
  return door === 'shut' ? <NoAccess /> : <Fragment key={round}>{children}</Fragment>
}

function NoAccess() {
  const isMounted = useSession()?.by === 'application'
  return (
    <div className="mx-auto mt-8 max-w-md">
      <Panel
        title={isMounted ? 'This application no longer lets you see its queue' : 'This server does not let you in'}
        isPage
      >
        <p role="alert" className="mb-4 text-muted">
          {isMounted
            ? 'Your session there may be over, or your rights have changed. Sign in to it again, then reload.'
            : 'It may serve other machines and other names only. Ask whoever runs it, then reload.'}
        </p>
        <Button onClick={() => location.reload()}>Reload</Button>
      </Panel>
    </div>
  )
}
