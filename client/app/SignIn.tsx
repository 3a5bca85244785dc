/** Sign-in form: exchanges a token for a session. */
import { type FormEvent, useEffect, useRef, useState } from 'react'
import { signIn } from '../session/session.ts'
import { Button } from '../ui/Button.tsx'
import { describedBy, Field, INPUT } from '../ui/form/Field.tsx'
import { Panel } from '../ui/Panel.tsx'

/** `isOver`: a session in this tab has just ended. */
export function SignIn({ isOver }: { isOver: boolean }) {
  const field = useRef<HTMLInputElement>(null)
  const [token, setToken] = useState('')
  const [problem, setProblem] = useState<string | null>(null)
  const [isBusy, setIsBusy] = useState(false)
  const notes = { id: 'token', problem }
  useEffect(() => field.current?.focus(), [])

  async function submit(event: FormEvent) {
    event.preventDefault()
    setIsBusy(true)
    const error = await signIn(token.trim())
    setIsBusy(false)
    setProblem(error)
    if (error !== null) field.current?.select()
  }

  return (
    <div className="mx-auto mt-8 max-w-md">
      <Panel title="Sign in" isPage>
        {isOver && (
          <p role="status" data-tone="pending" className="mb-4 rounded-md bg-tone/14 px-3 py-2 text-tone-ink">
            You have been signed out, here or in another tab, or your session or token has expired. Sign in to continue.
          </p>
        )}
        <p className="mb-4 text-muted">
          This server requires a token: its <code className="font-mono text-ink text-xs">AUTH_TOKEN</code>, or one
          created with <code className="font-mono text-ink text-xs">queuectl token create</code>.
        </p>
        <form onSubmit={submit} className="grid gap-3">
          <Field {...notes} label="Token" isAnnounced>
            <input
              {...describedBy(notes)}
              ref={field}
              name="token"
              type="password"
              autoComplete="current-password"
              spellCheck={false}
              required
              value={token}
              onChange={(event) => setToken(event.target.value)}
              className={`${INPUT} font-mono`}
            />
          </Field>
          <Button type="submit" weight="strong" disabled={isBusy} className="justify-self-start">
            {isBusy ? 'Signing in…' : 'Sign in'}
          </Button>
        </form>
      </Panel>
    </div>
  )
}
