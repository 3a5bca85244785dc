/** The tokens that are not revoked. */
import { useState } from 'react'
import type { Token } from '../../../../shared/contracts/tokens.ts'
import { api } from '../../../lib/api.ts'
import { useNow } from '../../../live/use-now.ts'
import type { SessionInfo } from '../../../session/session.ts'
import { useSession } from '../../../session/use-session.ts'
import { Age, Until } from '../../../ui/Age.tsx'
import { Button } from '../../../ui/Button.tsx'
import { Confirm } from '../../../ui/Confirm.tsx'
import { toasts } from '../../../ui/toasts.ts'

const ROW =
  'grid items-center gap-x-4 gap-y-1 py-2 md:grid-cols-[minmax(0,1fr)_minmax(0,13rem)_minmax(0,8rem)_6rem_5.5rem_5rem]'

/** What that means for whoever comes, by how this one came in. */
const NONE: Record<NonNullable<SessionInfo['by']>, string> = {
  open: 'Everybody who reaches this server may do everything.',
  session: 'Unless AUTH_TOKEN is set, everybody who reaches this server may do everything.',
  token: 'Unless AUTH_TOKEN is set, everybody who reaches this server may do everything.',
  application: 'Your application alone decides who comes in here.',
}

export function TokenList({ tokens }: { tokens: readonly Token[] }) {
  const utils = api.useUtils()
  const revoke = api.tokens.revoke.useMutation({
    onError: (error) => toasts.complain(error),
    onSettled: () => utils.tokens.list.invalidate(),
  })
  const [asked, setAsked] = useState<Token | null>(null)
  const by = useSession()?.by
  if (tokens.length === 0) return <p className="text-muted">None yet. {NONE[by ?? 'session']}</p>
  return (
    <>
      <div aria-hidden="true" className={`${ROW} hidden border-line border-b text-muted text-xs md:grid`}>
        <span>Name</span>
        <span>Scopes</span>
        <span>Types</span>
        <span>Last used</span>
        <span>Expires</span>
        <span />
      </div>
      <ul aria-label="Tokens" className="divide-y divide-line/60">
        {tokens.map((token) => (
          <TokenRow key={token.id} token={token} onRevoke={() => setAsked(token)} />
        ))}
      </ul>
      <Confirm
        title={`Revoke ${asked?.name ?? ''}?`}
        description={
          tokens.length === 1
            ? 'Whoever uses it is refused from now on. It is the last one: unless AUTH_TOKEN is set, a server then asks nobody for a token.'
            : 'Whoever uses it is refused from now on, and sessions opened with it end. This cannot be undone.'
        }
        act="Revoke it"
        isOpen={asked !== null}
        onClose={() => setAsked(null)}
        onConfirm={() =>
          asked && revoke.mutate({ id: asked.id }, { onSuccess: () => toasts.say(`Revoked ${asked.name}.`) })
        }
      />
    </>
  )
}

function TokenRow({ token, onRevoke }: { token: Token; onRevoke: () => void }) {
  const { name, scopes, typePrefix, lastUsedAt, createdAt, expiresAt } = token
  return (
    <li data-token={name} className={ROW}>
      <span className="truncate font-medium" title={`Made ${new Date(createdAt).toLocaleString()}`}>
        {name}
      </span>
      <span className="flex flex-wrap gap-1">
        {scopes.map((scope) => (
          <span
            key={scope}
            data-tone={scope === 'admin' ? 'failed' : 'cancelled'}
            className="rounded-full bg-tone/12 px-2 text-tone-ink text-xs/5"
          >
            {scope}
          </span>
        ))}
      </span>
      <span className="truncate text-muted" title={typePrefix ?? undefined}>
        {typePrefix === null ? 'all types' : `${typePrefix}…`}
      </span>
      <span className="text-muted">
        <span className="md:sr-only">last used </span>
        {lastUsedAt === null ? 'never' : <Age at={lastUsedAt} />}
        {lastUsedAt !== null && ' ago'}
      </span>
      <Expiry at={expiresAt} />
      <Button isSmall weight="quiet" onClick={onRevoke} aria-label={`Revoke ${name}`} className="justify-self-end">
        Revoke
      </Button>
    </li>
  )
}

function Expiry({ at }: { at: number | null }) {
  const now = useNow()
  if (at === null) return <span className="text-muted">never expires</span>
  return (
    <span className="text-muted" title={new Date(at).toLocaleString()}>
      {at <= now ? (
        <span data-tone="failed" className="text-tone-ink">
          expired
        </span>
      ) : (
        <Until at={at} />
      )}
    </span>
  )
}
