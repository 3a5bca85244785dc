/** Asks for a token and trades it for a session. */
import { type FormEvent, useEffect, useRef, useState } from 'react'
import { Panel } from '../ui/Panel.tsx'
import { signIn } from './session.ts'

/** `isOver`: somebody was signed in here until now. */
export function SignIn({ isOver }: { isOver: boolean }) {
  const field = useRef<HTMLInputElement>(null)
  const [token, setToken] = useState('')
  const [problem, setProblem] = useState<string | null>(null)
  const [isBusy, setIsBusy] = useState(false)
  useEffect(() => field.current?.focus(), [])

  async function submit(event: FormEvent) {
    event.preventDefault()
    setIsBusy(true)
    const refusal = await signIn(token.trim())
    setIsBusy(false)
    setProblem(refusal)
    if (refusal !== null) field.current?.select()
  }

  return (
    <div className="mx-auto mt-8 max-w-md">
      <Panel title="Sign in" isPage>
        {isOver && (
          <p role="status" data-tone="pending" className="mb-4 rounded-md bg-tone/14 px-3 py-2 text-tone-ink">
            You are not signed in any more: you left in another tab, or your session or its token is over. Sign in to go
            on where you were.
          </p>
        )}
        <p className="mb-4 text-muted">
          This server asks for a token: its <code className="font-mono text-ink text-xs">AUTH_TOKEN</code>, or one that{' '}
          <code className="font-mono text-ink text-xs">queuectl token create</code> made.
        </p>
        <form onSubmit={submit} className="grid gap-3">
          <label className="grid gap-1 font-medium" htmlFor="token">
            Token
            <input
              ref={field}
              id="token"
              name="token"
              type="password"
              autoComplete="current-password"
              spellCheck={false}
              required
              value={token}
              onChange={(event) => setToken(event.target.value)}
              aria-invalid={problem !== null}
              aria-describedby={problem === null ? undefined : 'token-problem'}
              className="rounded-md bg-canvas px-3 py-2 font-mono text-ink ring-1 ring-line"
            />
          </label>
          {problem !== null && (
            <p id="token-problem" role="alert" data-tone="failed" className="text-tone-ink">
              {problem}
            </p>
          )}
          <button
            type="submit"
            disabled={isBusy}
            className="justify-self-start rounded-md bg-ink px-3 py-1.5 font-medium text-canvas disabled:opacity-60"
          >
            {isBusy ? 'Signing in…' : 'Sign in'}
          </button>
        </form>
      </Panel>
    </div>
  )
}
