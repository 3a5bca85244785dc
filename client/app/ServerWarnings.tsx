/** What an operator must know of this server before trusting it: weaker durability, a full disk, writes that are stuck. */
import type { Status } from '../../shared/status.ts'
import { api } from '../lib/api.ts'
import { useFrames, useLive } from '../live/use-live.ts'
import { usePaced } from '../live/use-paced.ts'

/** Another process may write all the time, and every one of its commits asks for everything to be read again. */
const READ_EVERY_MS = 10_000
const POLL_EVERY_MS = 30_000

export function ServerWarnings() {
  const { connection } = useLive()
  const isIn = connection !== 'refused' && connection !== 'shut'
  const query = api.facts.useQuery(undefined, { refetchInterval: POLL_EVERY_MS, enabled: isIn })
  const refresh = usePaced(query, READ_EVERY_MS)
  useFrames(({ refetch }) => {
    if (isIn && refetch) refresh()
  })
  const facts = isIn ? query.data : undefined
  return (
    <>
      {facts?.durability === 'normal' && (
        <Warning tone="pending" name="durability: normal" meaning="power loss may take the last moments" />
      )}
      {facts?.isFull && <Warning tone="failed" name="disk full" meaning="new jobs are refused" />}
      {facts?.hasNewerSchema && (
        <Warning tone="pending" name="newer database" meaning="restart this server with the new version" />
      )}
      {facts?.isClockUnsure && <Warning tone="pending" name="clock jumped" meaning="retention and expiry wait" />}
      {facts?.isStalled && <Warning tone="failed" name="upkeep is silent" meaning="writes may be stuck" />}
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
      <span className="font-medium">{name}</span> — {meaning}
    </p>
  )
}
