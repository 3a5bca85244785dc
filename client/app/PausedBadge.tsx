/** Says on every page that the queue hands out nothing, and leads to where that can be changed. */
import { Link, useRoute } from 'wouter'
import { api } from '../lib/api.ts'
import { useLive } from '../live/use-live.ts'

export function PausedBadge() {
  const { connection } = useLive()
  const isIn = connection !== 'refused' && connection !== 'shut'
  // Kept fresh by the tab, whose title says the same.
  const { data } = api.settings.get.useQuery(undefined, { enabled: isIn })
  // The overview says it itself, beside the switch.
  const [isOverview] = useRoute('/')
  if (!isIn || isOverview || !data?.paused) return null
  return (
    <Link
      href="/"
      data-testid="paused"
      data-tone="pending"
      title="The overview has the switch."
      className="mb-2 rounded-md bg-tone/14 px-2 py-0.5 text-tone-ink text-xs/5 hover:underline"
    >
      <span className="font-medium">Paused</span> — nothing is handed out
    </Link>
  )
}
