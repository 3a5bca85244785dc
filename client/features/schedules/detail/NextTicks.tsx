/** The next ticks of a stored schedule. */
import type { ScheduleDetails } from '../../../../shared/schedules/schedule.ts'
import { Skeleton } from '../../../ui/Skeleton.tsx'
import { TickList } from '../TickList.tsx'

const SHOWN = [1, 2, 3, 4, 5]

export function NextTicks({ row }: { row: ScheduleDetails | undefined }) {
  return (
    <section aria-label="Next runs" className="rounded-lg bg-surface px-4 py-4 ring-1 ring-line sm:px-5">
      <div className="mb-2 flex flex-wrap items-baseline justify-between gap-x-4">
        <h2 className="font-semibold">Next runs</h2>
        {row && <p className="text-muted text-xs">{row.effective.timezone}</p>}
      </div>
      {row === undefined ? (
        <div className="grid gap-1.5">
          {SHOWN.map((n) => (
            <Skeleton key={n} className="h-5 w-full" />
          ))}
        </div>
      ) : row.next.length === 0 ? (
        <p className="text-muted">{row.state === 'paused' ? 'None while it is paused.' : 'None.'}</p>
      ) : (
        <TickList ticks={row.next} zone={row.effective.timezone} />
      )}
    </section>
  )
}
