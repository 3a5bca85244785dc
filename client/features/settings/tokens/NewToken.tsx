/** Asks what a new token is for, and makes it. */
import { useQueryClient } from '@tanstack/react-query'
import { type FormEvent, useState } from 'react'
import { api } from '../../../lib/api.ts'
import { signIn } from '../../../session/session.ts'
import { Button } from '../../../ui/Button.tsx'
import { Dialog } from '../../../ui/Dialog.tsx'
import { toasts } from '../../../ui/toasts.ts'
import { type Refusal, refusalOf } from '../form/refusal.ts'
import { TextField } from '../form/TextField.tsx'
import { keepMadeToken } from './made-token.ts'
import { ScopeChoice } from './ScopeChoice.tsx'
import { readToken, type TokenDraft } from './token-draft.ts'

export interface NewTokenProps {
  /** This server asks for none yet: from this one on it asks everybody. */
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
  const [refusal, setRefusal] = useState<Refusal | null>(null)
  const edit = (change: Partial<TokenDraft>) => {
    setDraft((before) => ({ ...before, ...change }))
    setRefusal(null)
  }

  async function submit(event: FormEvent) {
    event.preventDefault()
    const reading = readToken(draft)
    if (!reading.ok) return setRefusal({ problems: reading.problems, message: null })
    try {
      const { name, token } = await create.mutateAsync(reading.input)
      keepMadeToken({ name, token })
      onClose()
      if (!isFirst) return void queries.invalidateQueries()
      // From now on the server asks this page too: it goes on with the token it has just made.
      const refused = await signIn(token)
      if (refused === null) await queries.resetQueries()
      else toasts.complain(refused)
    } catch (error) {
      setRefusal(refusalOf(error))
    }
  }

  const problems = refusal?.problems ?? {}
  return (
    <Dialog title="New token" description="Programs and people prove with it who they are." isOpen onClose={onClose}>
      <form onSubmit={(event) => void submit(event)} className="grid gap-4" noValidate>
        {isFirst && (
          <p data-tone="pending" className="rounded-md bg-tone/14 px-3 py-2 text-tone-ink">
            This is the first one: from now on the server asks everybody for a token, workers and this page too. This
            browser is signed in with it at once; keep one with <strong>admin</strong>. Workers need one with{' '}
            <strong>work</strong>.
          </p>
        )}
        <TextField
          label="Name"
          placeholder="who will have it"
          value={draft.name}
          onText={(name) => edit({ name })}
          problem={problems.name}
          help="The audit trail says it."
        />
        <ScopeChoice chosen={draft.scopes} onChoose={(scopes) => edit({ scopes })} problem={problems.scopes} />
        <div className="grid gap-4 sm:grid-cols-2">
          <TextField
            label="Only types that begin with"
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
        {refusal?.message && (
          <p role="alert" data-tone="failed" className="text-tone-ink wrap-anywhere">
            {refusal.message}
          </p>
        )}
        <div className="flex justify-end gap-2">
          <Button onClick={onClose}>Cancel</Button>
          <Button type="submit" weight="strong" disabled={create.isPending}>
            {create.isPending ? 'Making it…' : 'Make the token'}
          </Button>
        </div>
      </form>
    </Dialog>
  )
}
