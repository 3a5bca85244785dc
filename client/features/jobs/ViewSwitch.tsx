/** Switch between the sections and the table. */
import { Link } from 'wouter'
import type { JobsUrl, View } from './use-jobs-url.ts'

const VIEWS = [
  ['sections', 'Sections'],
  ['table', 'Table'],
] as const satisfies readonly (readonly [View, string])[]

export function ViewSwitch({ url }: { url: JobsUrl }) {
  return (
    <nav aria-label="View" className="flex gap-0.5 rounded-lg bg-raised p-0.5">
      {VIEWS.map(([view, name]) => (
        <Link
          key={view}
          href={url.address(view === 'sections' ? { view: null, q: null } : { view })}
          aria-current={url.view === view ? 'page' : undefined}
          className={`rounded-md px-2.5 py-1 font-medium text-xs transition-colors ${url.view === view ? 'bg-surface text-ink shadow-sm' : 'text-muted hover:text-ink'}`}
        >
          {name}
        </Link>
      ))}
    </nav>
  )
}
