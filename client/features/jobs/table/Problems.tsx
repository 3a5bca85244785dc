/** The words of the filter that were not understood, and why. */
import type { Problem } from '../filter/filter.ts'

export const PROBLEMS_ID = 'filter-problems'

export function Problems({ problems }: { problems: readonly Problem[] }) {
  return (
    <div id={PROBLEMS_ID} role="alert" data-tone="failed" className="rounded-lg bg-tone/10 px-4 py-3 sm:px-5">
      <ul className="grid gap-1">
        {problems.map(({ word, message }) => (
          <li key={word} className="flex flex-wrap items-baseline gap-x-3">
            <code className="font-medium font-mono text-tone-ink text-xs wrap-anywhere">{word}</code>
            <span>{message}</span>
          </li>
        ))}
      </ul>
      <p className="mt-2 text-muted text-xs">Nothing is shown until every word is understood.</p>
    </div>
  )
}
