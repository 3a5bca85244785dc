/** Server warnings: reduced durability, full disk, stalled maintenance and others. */
import type { Status } from '../../../shared/status.ts'
import { api } from '../../lib/api.ts'
import { useFrames, useLive } from '../../live/use-live.ts'
import { usePaced } from '../../live/use-paced.ts'

/** Limits reads: every commit of another process sends `refetch`. */
const READ_EVERY_MS = 10_000
const POLL_EVERY_MS = 30_000

export function ServerWarnings() {
  const { connection } = useLive()
  const hasAccess = connection !== 'signedOut' && connection !== 'forbidden'
  const query = api.facts.useQuery(undefined, { refetchInterval: POLL_EVERY_MS, enabled: hasAccess })
  const refresh = usePaced(query, READ_EVERY_MS)
  useFrames(({ refetch }) => {
    if (hasAccess && refetch) refresh()
  })
  const facts = hasAccess ? query.data : undefined
  return (
    <>
      {facts?.durability === 'normal' && (
        <Warning tone="pending" name="durability: normal" meaning="a power loss may lose the last writes" />
      )}
      {facts?.isFull && <Warning tone="failed" name="disk full" meaning="new jobs are refused" />}
      {facts?.hasNewerSchema && (
        <Warning tone="pending" name="newer database" meaning="restart this server with the new version" />
      )}
      {facts?.isClockUnsure && (
        <Warning tone="pending" name="clock jumped" meaning="retention and expiry are suspended" />
      )}
      {facts?.isStalled && <Warning tone="failed" name="maintenance stalled" meaning="writes may be blocked" />}
    </>
  )
}

function Warning({ tone, name, meaning }: { tone: Status; name: string; meaning: string }) {
  return (
    <p
      data-testid="server-warning"
      data-tone={tone}
      className="mb-2 rounded-md bg-tone/14 px-2 py-0.5 text-xs/5 text-tone-ink"
    >
      <span className="font-medium">{name}</span>: {meaning}
    </p>
  )
}
