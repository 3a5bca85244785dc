/** Tokens tab: list, create and revoke tokens. */
import { useState } from 'react'
import { api } from '../../../lib/api.ts'
import { useHasScope, useSession } from '../../../session/use-session.ts'
import { Button } from '../../../ui/Button.tsx'
import { CopyBlock } from '../../../ui/CopyBlock.tsx'
import { Dialog } from '../../../ui/Dialog.tsx'
import { FailedToLoad } from '../../../ui/FailedToLoad.tsx'
import { Panel } from '../../../ui/Panel.tsx'
import { Skeleton } from '../../../ui/Skeleton.tsx'
import { setCreatedToken, useCreatedToken } from './created-token.ts'
import { NewToken } from './NewToken.tsx'
import { TokenList } from './TokenList.tsx'

export function TokensTab() {
  const session = useSession()
  const isAdmin = useHasScope('admin')
  // The scopes are unknown until the session is loaded.
  if (!session) return <Skeleton className="h-40 w-full" />
  if (isAdmin) return <Tokens />
  return (
    <Panel title="Tokens">
      <p className="text-muted">Managing tokens requires the admin scope.</p>
    </Panel>
  )
}

function Tokens() {
  const tokens = api.tokens.list.useQuery()
  const session = useSession()
  const created = useCreatedToken()
  const [isCreating, setIsCreating] = useState(false)
  const { data, error } = tokens
  if (error && !data) return <FailedToLoad what="the tokens" error={error} onRetry={() => void tokens.refetch()} />
  return (
    <Panel title="Tokens">
      <div className="mb-4 flex flex-wrap items-start justify-between gap-3">
        <p className="max-w-prose text-muted">
          A token grants its scopes, for types with its prefix, until it expires or is revoked. The secret is shown only
          once, when the token is created.
          {session?.by === 'application' &&
            ' Access to this page is controlled by your application; these tokens apply to servers on the same database.'}
        </p>
        <Button weight="strong" disabled={!data || !session} onClick={() => setIsCreating(true)}>
          New token
        </Button>
      </div>
      {data ? <TokenList tokens={data} /> : <Skeleton className="h-24 w-full" />}
      {isCreating && session && <NewToken isFirst={session.by === 'open'} onClose={() => setIsCreating(false)} />}
      {created && (
        <Dialog
          title={`Token ${created.name}`}
          description="Copy the token now. It will not be shown again."
          isOpen
          // Escape must not close it: the token is not shown again.
          onClose={() => {}}
        >
          <CopyBlock label="Token" code={created.token} />
          <div className="flex justify-end">
            <Button weight="strong" onClick={() => setCreatedToken(null)}>
              Done, I copied it
            </Button>
          </div>
        </Dialog>
      )}
    </Panel>
  )
}
