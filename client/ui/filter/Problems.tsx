/** Filter terms that could not be parsed, with the reason. */
import type { Problem } from '../../lib/filter/filter.ts'

export const PROBLEMS_ID = 'filter-problems'

export function Problems({ problems }: { problems: readonly Problem[] }) {
  return (
    <div id={PROBLEMS_ID} role="alert" data-tone="failed" className="rounded-lg bg-tone/10 px-4 py-3 sm:px-5">
      <ul className="grid gap-1">
        {problems.map(({ term, message }) => (
          <li key={term} className="flex flex-wrap items-baseline gap-x-3">
            <code className="font-medium font-mono text-tone-ink text-xs wrap-anywhere">{term}</code>
            <span>{message}</span>
          </li>
        ))}
      </ul>
      <p className="mt-2 text-muted text-xs">Fix these terms to see results.</p>
    </div>
  )
}
