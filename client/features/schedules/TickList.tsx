/** Ticks to come, in the zone of the schedule, with delays and changes of the clocks. */
import type { NextTick } from '../../../shared/schedules/schedule.ts'
import { measured } from '../../lib/format-duration.ts'
import { useNow } from '../../live/use-now.ts'
import { exactTime, Until } from '../../ui/Age.tsx'
import { whenTitle } from './when.ts'

export function TickList({ ticks, zone }: { ticks: readonly NextTick[]; zone: string }) {
  const now = useNow()
  return (
    <ol data-testid="next-ticks" className="grid gap-1.5">
      {ticks.map(({ at, dueAt, note }) => (
        <li key={at}>
          <div className="flex flex-wrap items-baseline justify-between gap-x-4">
            <time dateTime={new Date(at).toISOString()} title={exactTime(at)}>
              {whenTitle(at, zone, now)}
            </time>
            <span className="text-muted text-xs">
              {dueAt > at && `delayed by ${measured(dueAt - at)} · `}
              <Until at={dueAt} />
            </span>
          </div>
          {note !== null && (
            <p data-tone="pending" data-testid="clock-note" className="text-tone-ink text-xs">
              {note}
            </p>
          )}
        </li>
      ))}
    </ol>
  )
}
