/** Current user, missing scopes and sign-out; empty when the server requires no token. */
import type { Scope } from '../../../shared/scopes.ts'
import { useLive } from '../../live/use-live.ts'
import { signOut } from '../../session/session.ts'
import { useSession } from '../../session/use-session.ts'
import { Button } from '../../ui/Button.tsx'

/** Scopes that the actions on this page require. */
const NEEDED = [
  ['admin', 'Changing jobs, types, workers and settings'],
  ['produce', 'Enqueueing jobs'],
] as const satisfies readonly (readonly [Scope, string])[]

export function SignOut() {
  const session = useSession()
  const { connection } = useLive()
  if (!session || session.actor === null || connection === 'forbidden') return null
  const { actor, scopes, isSession, by } = session
  const missing = NEEDED.filter(([scope]) => !scopes.includes(scope))
  const why = missing.map(([scope, action]) => `${action} requires the ${scope} scope.`).join(' ')
  return (
    <>
      {missing.length > 0 && (
        <p
          data-testid="read-only"
          data-tone="pending"
          title={`${by === 'application' ? 'Your application grants' : 'Your token has'} the ${scopes.join(', ')} ${scopes.length === 1 ? 'scope' : 'scopes'}. ${why}`}
          className="whitespace-nowrap rounded-full bg-tone/14 px-2 font-medium text-tone-ink text-xs/5"
        >
          {scopes.includes('admin') ? 'Cannot enqueue' : 'Read-only'}
          <span className="sr-only">. {why}</span>
        </p>
      )}
      {/* While the connection is down, the time since then takes this place. */}
      {by !== 'open' && connection === 'live' && (
        <p
          data-testid="actor"
          title={`Signed in as ${actor}`}
          className="max-w-32 truncate text-faint text-xs max-md:sr-only"
        >
          <span className="sr-only">Signed in as </span>
          {actor.replace(/^token:/, '')}
        </p>
      )}
      {isSession && (
        <Button weight="quiet" className="px-2" onClick={() => void signOut().finally(() => location.reload())}>
          Sign out
        </Button>
      )}
    </>
  )
}
