/** Says who is here and what they may not do, and lets them leave; nothing where the server asks nobody. */
import type { Scope } from '../../shared/scopes.ts'
import { useLive } from '../live/use-live.ts'
import { signOut } from './session.ts'
import { useSession } from './use-session.ts'

/** What the acts of this page need, and what lacks without it. */
const NEEDED = [
  ['admin', 'change jobs, types, workers and settings'],
  ['produce', 'enqueue jobs'],
] as const satisfies readonly (readonly [Scope, string])[]

export function SignOut() {
  const session = useSession()
  const { connection } = useLive()
  if (!session || session.actor === null || connection === 'shut') return null
  const { actor, scopes, isSession, by } = session
  const lacking = NEEDED.filter(([scope]) => !scopes.includes(scope))
  const why = lacking.map(([scope, act]) => `To ${act}, it needs the scope ${scope}.`).join(' ')
  return (
    <>
      {lacking.length > 0 && (
        <p
          data-testid="read-only"
          data-tone="pending"
          title={`${by === 'application' ? 'Your application gives you' : 'Your token has'} the ${scopes.length === 1 ? 'scope' : 'scopes'} ${scopes.join(', ')}. ${why}`}
          className="whitespace-nowrap rounded-full bg-tone/14 px-2 font-medium text-tone-ink text-xs/5"
        >
          {scopes.includes('admin') ? 'No new jobs' : 'Read only'}
          <span className="sr-only">. {why}</span>
        </p>
      )}
      {/* Since when the line is down is more important, and takes its place. */}
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
        <button
          type="button"
          onClick={() => void signOut().finally(() => location.reload())}
          className="whitespace-nowrap rounded-md px-2 py-1 text-muted transition-colors hover:bg-raised hover:text-ink"
        >
          Sign out
        </button>
      )}
    </>
  )
}
