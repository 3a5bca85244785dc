/** The statuses as buttons: with one click a status is asked for, or no longer. */
import { STATUSES, type Status, type StatusCounts } from '../../../../shared/status.ts'
import { formatNumber } from '../../../lib/format-number.ts'
import { StatusDot } from '../../../ui/StatusPill.tsx'
import { toggleStatus } from '../filter/filter.ts'

export interface StatusTogglesProps {
  readonly text: string
  readonly asked: readonly Status[] | null
  readonly counts: StatusCounts | undefined
  readonly onAsk: (text: string) => void
}

export function StatusToggles({ text, asked, counts, onAsk }: StatusTogglesProps) {
  return (
    <fieldset className="-mx-4 mb-3 flex min-w-0 gap-1 overflow-x-auto px-4 py-1 [scrollbar-width:none] sm:mx-0 sm:px-0">
      <legend className="sr-only">Statuses</legend>
      {STATUSES.map((status) => {
        const isAsked = asked?.includes(status) ?? false
        return (
          <button
            key={status}
            type="button"
            aria-pressed={isAsked}
            data-tone={status}
            onClick={() => onAsk(toggleStatus(text, status))}
            className={`flex h-7 shrink-0 items-center gap-1.5 rounded-full px-2.5 text-xs transition-colors ${isAsked ? 'bg-tone/14 font-medium text-tone-ink' : 'text-muted hover:bg-raised hover:text-ink'}`}
          >
            <StatusDot status={status} />
            {status}
            {counts && <span className={isAsked ? '' : 'text-faint'}>{formatNumber(counts[status])}</span>}
          </button>
        )
      })}
    </fieldset>
  )
}
