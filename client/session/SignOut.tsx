/** Says who is signed in, and lets them leave; nothing where the server asks for no token. */
import { useQuery } from '@tanstack/react-query'
import { readSession, signOut } from './session.ts'

export function SignOut() {
  const { data } = useQuery({ queryKey: ['session'], queryFn: readSession })
  if (!data?.isSession) return null
  return (
    <button
      type="button"
      title={`Signed in as ${data.actor}`}
      onClick={() => void signOut().finally(() => location.reload())}
      className="rounded-md px-2 py-1 text-muted transition-colors hover:bg-raised hover:text-ink"
    >
      Sign out
    </button>
  )
}
