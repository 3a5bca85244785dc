/** Time line of the next 24 hours: one lane per schedule, and how many run in each quarter of an hour. */
import { Link } from 'wouter'
import type { ScheduleRow } from '../../../../shared/schedules/schedule.ts'
import { formatNumber } from '../../../lib/format-number.ts'
import { scheduleAddress } from '../../../lib/schedules-address.ts'
import { useNow } from '../../../live/use-now.ts'
import { Skeleton } from '../../../ui/Skeleton.tsx'
import { timeText, whenText } from '../when.ts'
import { BIN_MS, BINS, type DayTicks, dayStart, dayTicks, marksOf } from './day-bins.ts'

const LANE = 'grid items-center gap-x-4 px-4 sm:grid-cols-[minmax(0,11rem)_minmax(0,1fr)] sm:px-5'
const HOURS = [0, 3, 6, 9, 12, 15, 18, 21]
const ZONE = Intl.DateTimeFormat().resolvedOptions().timeZone

interface Lane {
  readonly row: ScheduleRow
  readonly ticks: DayTicks
}

const known = new WeakMap<ScheduleRow, { readonly start: number; readonly ticks: DayTicks }>()

/** Up to 3 ms for a rule in a time zone, so kept for each reading: the page renders every second. */
function ticksOf(row: ScheduleRow, start: number): DayTicks {
  const kept = known.get(row)
  if (kept?.start === start) return kept.ticks
  const ticks = dayTicks(row, start)
  known.set(row, { start, ticks })
  return ticks
}

export interface DayViewProps {
  readonly rows: readonly ScheduleRow[] | undefined
  /** There are more schedules than these. */
  readonly isPartial: boolean
}

export function DayView({ rows, isPartial }: DayViewProps) {
  const now = useNow()
  const start = dayStart(now)
  const lanes = rows?.map((row): Lane => ({ row, ticks: ticksOf(row, start) }))
  return (
    <section aria-label="Next 24 hours" aria-busy={!lanes}>
      <div className={`${LANE} border-line border-b py-2`}>
        <p className="text-muted text-xs max-sm:mb-2">
          Schedules per 15 minutes{isPartial && `, of the ${formatNumber(rows?.length ?? 0)} shown`}
          <span className="block text-faint">times in {ZONE}</span>
        </p>
        <Totals lanes={lanes ?? []} start={start} />
      </div>
      <ul aria-label="Ticks" className="divide-y divide-line/60">
        {lanes?.map((lane) => <LaneRow key={lane.row.name} lane={lane} now={now} />) ??
          [1, 2, 3, 4].map((n) => (
            <li key={n} aria-hidden="true" className="flex min-h-10 items-center px-4 sm:px-5">
              <Skeleton className="h-4 w-full" />
            </li>
          ))}
      </ul>
    </section>
  )
}

const BAR_PX = 32

function Totals({ lanes, start }: { lanes: readonly Lane[]; start: number }) {
  const totals = Array.from({ length: BINS }, (_, bin) => lanes.filter(({ ticks }) => ticks.bins[bin]).length)
  const top = Math.max(1, ...totals)
  const busiest = totals.indexOf(Math.max(...totals))
  const label = `Most schedules in 15 minutes: ${totals[busiest] ?? 0}, from ${timeText(start + busiest * BIN_MS, ZONE)}`
  return (
    <div>
      <div
        role="img"
        aria-label={label}
        title={label}
        data-tone="processing"
        className="flex items-end"
        style={{ height: BAR_PX }}
      >
        {totals.map((count, bin) => (
          <span
            // biome-ignore lint/suspicious/noArrayIndexKey: the bins are in order of time
            key={bin}
            className="flex-1 bg-tone/70"
            style={{ height: count === 0 ? 0 : Math.max(3, (count / top) * BAR_PX) }}
          />
        ))}
      </div>
      <div aria-hidden="true" className="relative h-4 border-line border-t text-faint text-xs">
        {HOURS.map((hour) => (
          <span
            key={hour}
            className={`absolute top-0.5 ${hour % 6 === 0 ? '' : 'max-sm:hidden'}`}
            style={{ left: `${(firstHour(start, hour) / BINS) * 100}%` }}
          >
            {timeText(start + firstHour(start, hour) * BIN_MS, ZONE)}
          </span>
        ))}
      </div>
    </div>
  )
}

/** Bin of the first full hour, and `hours` later. */
function firstHour(start: number, hours: number): number {
  const minutes = new Date(start).getMinutes()
  return (minutes === 0 ? 0 : (60 - minutes) / 15) + hours * 4
}

function LaneRow({ lane: { row, ticks }, now }: { lane: Lane; now: number }) {
  const { name, text, state, effective } = row
  const first = ticks.first === null ? null : whenText(ticks.first, effective.timezone, now)
  const label =
    first === null
      ? state === 'active'
        ? 'not in the next 24 hours'
        : `${state}: not in the next 24 hours`
      : `${text}; first ${first}, in ${ticks.count} of ${BINS} quarters of an hour`
  return (
    <li data-lane={name} className={`${LANE} min-h-10 gap-y-1 py-1.5 hover:bg-raised/40`}>
      <p className="flex min-w-0 items-baseline gap-2">
        <Link
          href={scheduleAddress(name)}
          data-row-link
          title={`${name}\n${text}`}
          className="truncate font-medium hover:underline"
        >
          {name}
        </Link>
        {state !== 'active' && <span className="text-faint text-xs">{state}</span>}
      </p>
      <div
        role="img"
        aria-label={label}
        title={label}
        className="relative h-4 rounded-sm bg-raised/70"
        data-tone="processing"
      >
        {marksOf(ticks.bins).map(({ from, length }) => (
          <span
            key={from}
            data-mark
            className="absolute inset-y-0.5 min-w-1 rounded-xs bg-tone"
            style={{ left: `${(from / BINS) * 100}%`, width: `calc(${(length / BINS) * 100}% - 1px)` }}
          />
        ))}
        {ticks.first === null && <span className="absolute inset-0 px-1.5 text-faint text-xs/4">{label}</span>}
      </div>
    </li>
  )
}
