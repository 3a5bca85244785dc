/** What can be done to the rows that are chosen, or to everything that matches. */
import { formatNumber } from '../../../lib/format-number.ts'
import { Button } from '../../../ui/Button.tsx'
import { Sign } from '../../../ui/Icon.tsx'
import { type Counted, countText } from '../bulk/count-matches.ts'
import { ACT_NAMES, ACTS, type Act, whyNot } from '../list/actions.ts'
import type { Selection } from './selection.ts'

export interface SelectionBarProps {
  readonly selection: Selection
  /** How many match; null: not known yet. */
  readonly total: Counted | null
  /** Why counting them failed. */
  readonly trouble: string | null
  /** There is more that matches than what is chosen. */
  readonly hasMore: boolean
  readonly isOffered: (act: Act) => boolean
  readonly onAct: (act: Act) => void
  readonly onAll: () => void
  readonly onClear: () => void
}

export function SelectionBar({ selection, total, trouble, ...props }: SelectionBarProps) {
  const { ids, isAll } = selection
  if (ids.size === 0) return null
  const { hasMore, isOffered, onAct, onAll, onClear } = props
  const isKnown = total?.state === 'exact'
  return (
    <section
      aria-label="Selection"
      data-testid="selection"
      data-selection
      className="sticky bottom-4 z-20 mt-3 flex w-fit max-w-full flex-wrap items-center gap-1 rounded-xl bg-surface py-1.5 pr-1.5 pl-4 shadow-xl ring-1 ring-line motion-safe:animate-appear"
    >
      <p role="status" className="mr-2 font-medium">
        {isAll ? `Everything that matches: ${allText(total, trouble)}` : `${formatNumber(ids.size)} selected`}
      </p>
      {!isAll && hasMore && (
        <Button isSmall weight="quiet" onClick={onAll} className="underline underline-offset-2">
          Select all{isKnown && ` ${countText(total)}`} that match
        </Button>
      )}
      {ACT_NAMES.map((act) => (
        <Button
          key={act}
          isSmall
          weight={act === 'remove' ? 'danger' : 'plain'}
          needs="admin"
          // Not disabled: then it could not say why.
          {...(isOffered(act) ? { onClick: () => onAct(act) } : { 'aria-disabled': true, title: whyNot(act) })}
        >
          {ACTS[act].name}
        </Button>
      ))}
      <Button isSmall weight="quiet" aria-label="Take the selection back" onClick={onClear}>
        <Sign of="cross" />
      </Button>
    </section>
  )
}

function allText(total: Counted | null, trouble: string | null): string {
  if (total === null) return trouble === null ? 'counting…' : `not counted (${trouble})`
  return total.state === 'counting' ? `${countText(total)}, still counting…` : countText(total)
}
