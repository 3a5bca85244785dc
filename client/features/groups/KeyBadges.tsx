/** Badges of a key: stopped, paused, busy, own limits. */
import type { GroupKeyRow } from '../../../shared/groups/records.ts'
import { useNow } from '../../live/use-now.ts'
import { Badge } from '../../ui/Badge.tsx'

export function KeyBadges({ row: { stopped, effective, busyUntil, override } }: { row: GroupKeyRow }) {
  const now = useNow()
  const hasOwnLimits = override.concurrency !== undefined || override.rate !== undefined
  return (
    <>
      {stopped !== null && <Badge tone="failed">stopped</Badge>}
      {effective.paused && <Badge tone="pending">paused</Badge>}
      {busyUntil !== null && busyUntil > now && (
        <Badge tone="blocked" title="A handler threw GroupBusy">
          busy
        </Badge>
      )}
      {hasOwnLimits && <Badge tone="cancelled">own limits</Badge>}
    </>
  )
}
