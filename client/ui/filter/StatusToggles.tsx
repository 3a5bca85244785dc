/** Status buttons that add a status to the filter or remove it. */
import { STATUSES, type Status, type StatusCounts } from '../../../shared/status.ts'
import { toggleStatus } from '../../lib/filter/filter.ts'
import { formatNumber } from '../../lib/format-number.ts'
import { StatusDot } from '../job/StatusPill.tsx'

export interface StatusTogglesProps {
  readonly text: string
  readonly active: readonly Status[] | null
  readonly counts: StatusCounts | undefined
  readonly onApply: (text: string) => void
}

export function StatusToggles({ text, active, counts, onApply }: StatusTogglesProps) {
  return (
    <fieldset className="-mx-4 mb-3 flex min-w-0 gap-1 overflow-x-auto px-4 py-1 [scrollbar-width:none] sm:mx-0 sm:px-0">
      <legend className="sr-only">Statuses</legend>
      {STATUSES.map((status) => {
        const isActive = active?.includes(status) ?? false
        return (
          <button
            key={status}
            type="button"
            aria-pressed={isActive}
            data-tone={status}
            onClick={() => onApply(toggleStatus(text, status))}
            className={`flex h-7 shrink-0 items-center gap-1.5 rounded-full px-2.5 text-xs transition-colors ${isActive ? 'bg-tone/14 font-medium text-tone-ink' : 'text-muted hover:bg-raised hover:text-ink'}`}
          >
            <StatusDot status={status} />
            {status}
            {counts && <span className={isActive ? '' : 'text-faint'}>{formatNumber(counts[status])}</span>}
          </button>
        )
      })}
    </fieldset>
  )
}
