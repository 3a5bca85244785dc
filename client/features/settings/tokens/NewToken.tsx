/** Dialog that creates a token. */
import { useQueryClient } from '@tanstack/react-query'
import { type FormEvent, useState } from 'react'
import { api } from '../../../lib/api.ts'
import { toasts } from '../../../lib/toasts.ts'
import { signIn } from '../../../session/session.ts'
import { Button } from '../../../ui/Button.tsx'
import { Dialog } from '../../../ui/Dialog.tsx'
import { type ServerErrors, serverErrorsOf } from '../../../ui/form/server-errors.ts'
import { TextField } from '../../../ui/form/TextField.tsx'
import { setCreatedToken } from './created-token.ts'
import { ScopeChoice } from './ScopeChoice.tsx'
import { readToken, type TokenDraft } from './token-draft.ts'

export interface NewTokenProps {
  /** The server has no tokens yet; with the first one it starts to require them. */
  readonly isFirst: boolean
  readonly onClose: () => void
}

export function NewToken({ isFirst, onClose }: NewTokenProps) {
  const queries = useQueryClient()
  const create = api.tokens.create.useMutation()
  const [draft, setDraft] = useState<TokenDraft>({
    name: '',
    scopes: isFirst ? ['produce', 'read', 'admin'] : [],
    prefix: '',
    expires: '',
  })
  const [errors, setErrors] = useState<ServerErrors | null>(null)
  const edit = (change: Partial<TokenDraft>) => {
    setDraft((before) => ({ ...before, ...change }))
    setErrors(null)
  }

  async function submit(event: FormEvent) {
    event.preventDefault()
    const parsed = readToken(draft)
    if (!parsed.ok) return setErrors({ problems: parsed.problems, message: null })
    try {
      const { name, token } = await create.mutateAsync(parsed.input)
      setCreatedToken({ name, token })
      onClose()
      if (!isFirst) return void queries.invalidateQueries()
      // The server now requires a token from this page too, so sign in with the new one.
      const error = await signIn(token)
      if (error === null) await queries.resetQueries()
      else toasts.showError(error)
    } catch (error) {
      setErrors(serverErrorsOf(error))
    }
  }

  const problems = errors?.problems ?? {}
  return (
    <Dialog title="New token" description="Tokens authenticate workers, clients and users." isOpen onClose={onClose}>
      <form onSubmit={(event) => void submit(event)} className="grid gap-4" noValidate>
        {isFirst && (
          <p data-tone="pending" className="rounded-md bg-tone/14 px-3 py-2 text-tone-ink">
            This is the first token. Once it exists, the server requires a token from all clients, including workers and
            this page. This browser is signed in with it, so keep the <strong>admin</strong> scope. Workers need a token
            with the <strong>work</strong> scope.
          </p>
        )}
        <TextField
          label="Name"
          placeholder="billing-worker"
          value={draft.name}
          onText={(name) => edit({ name })}
          problem={problems.name}
          help="Shown in the audit trail."
        />
        <ScopeChoice chosen={draft.scopes} onChoose={(scopes) => edit({ scopes })} problem={problems.scopes} />
        <div className="grid gap-4 sm:grid-cols-2">
          <TextField
            label="Type prefix"
            placeholder="all types"
            value={draft.prefix}
            onText={(prefix) => edit({ prefix })}
            problem={problems.typePrefix}
          />
          <TextField
            label="Expires in"
            placeholder="never"
            value={draft.expires}
            onText={(expires) => edit({ expires })}
            problem={problems.expiresInMs}
            help="12h, 30d, 365d"
          />
        </div>
        {errors?.message && (
          <p role="alert" data-tone="failed" className="text-tone-ink wrap-anywhere">
            {errors.message}
          </p>
        )}
        <div className="flex justify-end gap-2">
          <Button onClick={onClose}>Cancel</Button>
          <Button type="submit" weight="strong" disabled={create.isPending}>
            {create.isPending ? 'Creating…' : 'Create token'}
          </Button>
        </div>
      </form>
    </Dialog>
  )
}
