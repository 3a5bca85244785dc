/** List of active tokens. */
import { useState } from 'react'
import type { Token } from '../../../../shared/contracts/tokens.ts'
import { api } from '../../../lib/api.ts'
import { toasts } from '../../../lib/toasts.ts'
import { useNow } from '../../../live/use-now.ts'
import type { SessionInfo } from '../../../session/session.ts'
import { useSession } from '../../../session/use-session.ts'
import { Age, Until } from '../../../ui/Age.tsx'
import { Button } from '../../../ui/Button.tsx'
import { Confirm } from '../../../ui/Confirm.tsx'

const ROW =
  'grid items-center gap-x-4 gap-y-1 py-2 md:grid-cols-[minmax(0,1fr)_minmax(0,13rem)_minmax(0,8rem)_6rem_5.5rem_5rem]'

/** Consequence of having no tokens, by what granted access to this page. */
const WITHOUT_TOKENS: Record<NonNullable<SessionInfo['by']>, string> = {
  open: 'Anyone who can reach this server has full access.',
  session: 'Unless AUTH_TOKEN is set, anyone who can reach this server has full access.',
  token: 'Unless AUTH_TOKEN is set, anyone who can reach this server has full access.',
  application: 'Your application controls access to this page.',
}

export function TokenList({ tokens }: { tokens: readonly Token[] }) {
  const utils = api.useUtils()
  const revoke = api.tokens.revoke.useMutation({
    onError: (error) => toasts.showError(error),
    onSettled: () => utils.tokens.list.invalidate(),
  })
  const [revoked, setRevoked] = useState<Token | null>(null)
  const by = useSession()?.by
  if (tokens.length === 0) return <p className="text-muted">No tokens. {WITHOUT_TOKENS[by ?? 'session']}</p>
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
          <TokenRow key={token.id} token={token} onRevoke={() => setRevoked(token)} />
        ))}
      </ul>
      <Confirm
        title={`Revoke ${revoked?.name ?? ''}?`}
        description={
          tokens.length === 1
            ? 'Clients that use it lose access. It is the last token: unless AUTH_TOKEN is set, the server will no longer require one.'
            : 'Clients that use it lose access, and its sessions end. This cannot be undone.'
        }
        action="Revoke token"
        isOpen={revoked !== null}
        onClose={() => setRevoked(null)}
        onConfirm={() =>
          revoked && revoke.mutate({ id: revoked.id }, { onSuccess: () => toasts.show(`Revoked ${revoked.name}.`) })
        }
      />
    </>
  )
}

function TokenRow({ token, onRevoke }: { token: Token; onRevoke: () => void }) {
  const { name, scopes, typePrefix, lastUsedAt, createdAt, expiresAt } = token
  return (
    <li data-token={name} className={ROW}>
      <span className="truncate font-medium" title={`Created ${new Date(createdAt).toLocaleString()}`}>
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
        {typePrefix === null ? 'all types' : `${typePrefix}*`}
      </span>
      <span className="text-muted">
        <span className="md:sr-only">last used </span>
        {lastUsedAt === null ? 'never' : <Age isShort at={lastUsedAt} />}
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
  if (at === null)
    return (
      <span className="text-muted">
        <span className="md:sr-only">expires </span>never
      </span>
    )
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
