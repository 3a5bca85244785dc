/**
 * Button with the number of jobs that wait while a list is held; a click shows them. It floats over the list and moves no row.
 * Screen readers announce it once, not for every new job.
 */
import { formatNumber } from '../../lib/format-number.ts'
import { Icon } from '../Icon.tsx'

export interface NewJobsPillProps {
  readonly count: number
  readonly isMore: boolean
  readonly onShow: () => void
}

export function NewJobsPill({ count, isMore, onShow }: NewJobsPillProps) {
  return (
    <div className="sticky top-28 md:top-16 z-10 flex h-0 justify-center">
      <p role="status" className="sr-only">
        {count > 0 && 'New jobs are waiting.'}
      </p>
      {count > 0 && <Pill count={count} isMore={isMore} onShow={onShow} />}
    </div>
  )
}

function Pill({ count, isMore, onShow }: NewJobsPillProps) {
  return (
    <button
      type="button"
      onClick={onShow}
      data-testid="new-jobs"
      className="flex h-8 items-center gap-1.5 motion-safe:animate-appear rounded-full bg-ink px-3.5 font-medium text-canvas text-xs shadow-lg shadow-black/20"
    >
      <Icon name="arrowUp" />
      {`${formatNumber(count)}${isMore ? '+' : ''} new`}
    </button>
  )
}
