/** Jobs enqueued from this page, newest first. */
import { Link } from 'wouter'

export interface Sent {
  readonly id: string
  readonly type: string
  readonly deduplicated: boolean
}

export function Enqueued({ sent }: { sent: readonly Sent[] }) {
  if (sent.length === 0) return null
  return (
    <section aria-label="Enqueued jobs" className="rounded-lg bg-surface px-4 py-4 ring-1 ring-line sm:px-5">
      <h2 className="mb-2 font-semibold">Enqueued jobs</h2>
      <ul data-testid="enqueued" className="grid gap-1.5">
        {sent.map(({ id, type, deduplicated }) => (
          <li key={id} className="flex items-baseline justify-between gap-3">
            <Link
              href={`/jobs/${id}`}
              className="min-w-0 truncate font-medium underline decoration-line underline-offset-3 hover:decoration-ink"
            >
              {type} <span className="font-mono text-muted text-xs">{id.slice(-8)}</span>
            </Link>
            {deduplicated && <span className="shrink-0 text-muted text-xs">duplicate, not enqueued</span>}
          </li>
        ))}
      </ul>
    </section>
  )
}
