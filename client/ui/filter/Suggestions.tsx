/** List of completions below the filter field. */
import type { Suggestion } from '../../lib/filter/suggest.ts'

export interface SuggestionsProps {
  readonly id: string
  readonly offers: readonly Suggestion[]
  readonly active: number
  readonly onChoose: (offer: Suggestion, field: HTMLInputElement | null) => void
}

export function Suggestions({ id, offers, active, onChoose }: SuggestionsProps) {
  return (
    <div
      id={id}
      role="listbox"
      aria-label="Suggestions"
      hidden={offers.length === 0}
      className="absolute inset-x-0 top-11 z-30 max-w-xl rounded-lg bg-surface p-1 shadow-xl ring-1 ring-line"
    >
      {offers.map((offer, place) => (
        // The field keeps the focus and handles the keys (aria-activedescendant).
        <div
          key={offer.label}
          id={`${id}-${place}`}
          role="option"
          tabIndex={-1}
          aria-selected={place === active}
          onMouseDown={(event) => {
            event.preventDefault()
            const field = document.activeElement
            onChoose(offer, field instanceof HTMLInputElement ? field : null)
          }}
          className={`flex cursor-pointer items-baseline gap-3 rounded-md px-2.5 py-1.5 hover:bg-raised ${place === active ? 'bg-raised' : ''}`}
        >
          <code className="min-w-20 truncate font-medium font-mono text-xs">{offer.label}</code>
          <span className="truncate text-muted text-xs">{offer.hint}</span>
        </div>
      ))}
    </div>
  )
}
