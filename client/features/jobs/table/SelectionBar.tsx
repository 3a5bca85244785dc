/** Action bar for the selected rows or all matching jobs. */
import { formatNumber } from '../../../lib/format-number.ts'
import { ACTION_NAMES, ACTIONS, type Action, unavailableReason } from '../../../lib/job-actions.ts'
import { type Counted, formatCount } from '../../../live/bulk/count-matches.ts'
import { Button } from '../../../ui/Button.tsx'
import { Icon } from '../../../ui/Icon.tsx'
import type { Selection } from './selection.ts'

export interface SelectionBarProps {
  readonly selection: Selection
  /** Number of matching jobs; null: not counted yet. */
  readonly total: Counted | null
  /** Why counting failed. */
  readonly problem: string | null
  /** More jobs match than are selected. */
  readonly hasMore: boolean
  readonly isAvailable: (action: Action) => boolean
  readonly onAction: (action: Action) => void
  readonly onAll: () => void
  readonly onClear: () => void
}

export function SelectionBar({ selection, total, problem, ...props }: SelectionBarProps) {
  const { ids, isAll } = selection
  if (ids.size === 0) return null
  const { hasMore, isAvailable, onAction, onAll, onClear } = props
  const isKnown = total?.state === 'exact'
  return (
    <section
      aria-label="Selection"
      data-testid="selection"
      data-selection
      className="sticky bottom-4 z-20 mt-3 flex w-fit max-w-full flex-wrap items-center gap-1 rounded-xl bg-surface py-1.5 pr-1.5 pl-4 shadow-xl ring-1 ring-line motion-safe:animate-appear"
    >
      <p role="status" className="mr-2 font-medium">
        {isAll ? `All matching jobs: ${totalText(total, problem)}` : `${formatNumber(ids.size)} selected`}
      </p>
      {!isAll && hasMore && (
        <Button isSmall weight="quiet" onClick={onAll} className="underline underline-offset-2">
          Select all{isKnown && ` ${formatCount(total)}`} that match
        </Button>
      )}
      {ACTION_NAMES.map((action) => (
        <Button
          key={action}
          isSmall
          weight={action === 'remove' ? 'danger' : 'plain'}
          needs="admin"
          // `disabled` would suppress the tooltip.
          {...(isAvailable(action)
            ? { onClick: () => onAction(action) }
            : { 'aria-disabled': true, title: unavailableReason(action) })}
        >
          {ACTIONS[action].name}
        </Button>
      ))}
      <Button isSmall weight="quiet" aria-label="Clear selection" onClick={onClear}>
        <Icon name="cross" />
      </Button>
    </section>
  )
}

function totalText(total: Counted | null, problem: string | null): string {
  if (total === null) return problem === null ? 'counting…' : `not counted (${problem})`
  return total.state === 'counting' ? `${formatCount(total)}, still counting…` : formatCount(total)
}
