/** Who may come in: the tokens there are, a new one, and taking one away. */
import { useState } from 'react'
import { api } from '../../../lib/api.ts'
import { lacks, useMay, useSession } from '../../../session/use-session.ts'
import { Button } from '../../../ui/Button.tsx'
import { CopyBlock } from '../../../ui/CopyBlock.tsx'
import { Dialog } from '../../../ui/Dialog.tsx'
import { FailedToLoad } from '../../../ui/FailedToLoad.tsx'
import { Panel } from '../../../ui/Panel.tsx'
import { Bone } from '../../../ui/Skeleton.tsx'
import { keepMadeToken, useMadeToken } from './made-token.ts'
import { NewToken } from './NewToken.tsx'
import { TokenList } from './TokenList.tsx'

export function TokensTab() {
  const session = useSession()
  const may = useMay('admin')
  // Whoever may not is not to ask: who it is comes first.
  if (!session) return <Bone className="h-40 w-full" />
  if (may) return <Tokens />
  return (
    <Panel title="Tokens">
      <p className="text-muted">{lacks('admin')} Whoever has one sees the tokens here, makes and revokes them.</p>
    </Panel>
  )
}

function Tokens() {
  const tokens = api.tokens.list.useQuery()
  const session = useSession()
  const made = useMadeToken()
  const [isMaking, setIsMaking] = useState(false)
  const { data, error } = tokens
  if (error && !data) return <FailedToLoad what="the tokens" error={error} onRetry={() => void tokens.refetch()} />
  return (
    <Panel title="Tokens">
      <div className="mb-4 flex flex-wrap items-start justify-between gap-3">
        <p className="max-w-prose text-muted">
          Each may do what its scopes say, for types that begin with its prefix, until it expires or is revoked. Secrets
          are shown once, when they are made.
          {session?.by === 'application' &&
            ' Who comes in here is for your application to say: these are for servers on the same database.'}
        </p>
        <Button weight="strong" disabled={!data || !session} onClick={() => setIsMaking(true)}>
          New token
        </Button>
      </div>
      {data ? <TokenList tokens={data} /> : <Bone className="h-24 w-full" />}
      {isMaking && session && <NewToken isFirst={session.by === 'open'} onClose={() => setIsMaking(false)} />}
      {made && (
        <Dialog
          title={`The token ${made.name}`}
          description="Copy it now: it is not shown again."
          isOpen
          // It is gone once this is closed: a stray Escape must not do it.
          onClose={() => {}}
        >
          <CopyBlock label="Token" code={made.token} />
          <div className="flex justify-end">
            <Button weight="strong" onClick={() => keepMadeToken(null)}>
              I have it
            </Button>
          </div>
        </Dialog>
      )}
    </Panel>
  )
}
