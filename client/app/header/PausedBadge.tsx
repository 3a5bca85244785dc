/** Badge on every page while the queue is paused, linked to the Overview. */
import { Link, useRoute } from 'wouter'
import { api } from '../../lib/api.ts'
import { useLive } from '../../live/use-live.ts'

export function PausedBadge() {
  const { connection } = useLive()
  const hasAccess = connection !== 'signedOut' && connection !== 'forbidden'
  // Refreshed by `Tab`, which shows it in the title.
  const { data } = api.settings.get.useQuery(undefined, { enabled: hasAccess })
  // The Overview has its own banner.
  const [isOverview] = useRoute('/')
  if (!hasAccess || isOverview || !data?.paused) return null
  return (
    <Link
      href="/"
      data-testid="paused"
      data-tone="pending"
      title="Resume it on the Overview."
      className="mb-2 rounded-md bg-tone/14 px-2 py-0.5 text-tone-ink text-xs/5 hover:underline"
    >
      <span className="font-medium">Paused</span>. No jobs are being started
    </Link>
  )
}
