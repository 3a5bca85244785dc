/** The last ticks of a schedule: what happened, and the job of each. */
import { Link } from 'wouter'
import type { ScheduleDetails, ScheduleTick } from '../../../../shared/schedules/schedule.ts'
import { useNow } from '../../../live/use-now.ts'
import { Age, exactTime } from '../../../ui/Age.tsx'
import { Badge } from '../../../ui/Badge.tsx'
import { Skeleton } from '../../../ui/Skeleton.tsx'
import { OUTCOME_TONES, tickDetails } from '../schedule-state.ts'
import { whenTitle } from '../when.ts'

export function Ticks({ row }: { row: ScheduleDetails | undefined }) {
  return (
    <section aria-label="Last runs" className="overflow-clip rounded-lg bg-surface ring-1 ring-line">
      <div className="flex flex-wrap items-baseline justify-between gap-x-4 px-4 pt-4 pb-2 sm:px-5">
        <h2 className="font-semibold">Last runs</h2>
        <p className="text-muted text-xs">the last 50 are kept</p>
      </div>
      <ol aria-label="Ticks" aria-busy={!row} className="divide-y divide-line/60">
        {row?.ticks.map((tick) => (
          <TickRow key={`${tick.at} ${tick.origin}`} tick={tick} zone={row.effective.timezone} />
        )) ??
          [1, 2, 3, 4, 5].map((n) => (
            <li key={n} aria-hidden="true" className="flex min-h-10 items-center px-4 sm:px-5">
              <Skeleton className="h-4 w-full" />
            </li>
          ))}
      </ol>
      {row?.ticks.length === 0 && <p className="px-4 pb-4 text-muted sm:px-5">It has not run yet.</p>}
    </section>
  )
}

function TickRow({ tick, zone }: { tick: ScheduleTick; zone: string }) {
  const now = useNow()
  const { at, outcome, origin, jobId } = tick
  const details = tickDetails(tick)
  return (
    <li
      data-tick={at}
      data-outcome={outcome}
      className="grid min-h-10 grid-cols-[minmax(0,1fr)_auto] items-center gap-x-4 gap-y-0.5 px-4 py-2 sm:grid-cols-[11.5rem_minmax(0,1fr)_auto_3.5rem] sm:px-5"
    >
      <time dateTime={new Date(at).toISOString()} title={exactTime(at)}>
        {origin === 'manual' ? 'Run by hand' : whenTitle(at, zone, now)}
      </time>
      <div className="flex min-w-0 flex-wrap items-baseline gap-x-2 max-sm:order-last max-sm:col-span-2">
        <Badge tone={OUTCOME_TONES[outcome]}>{outcome}</Badge>
        {details !== '' && <span className="min-w-0 text-muted text-xs wrap-anywhere">{details}</span>}
      </div>
      {jobId === null ? (
        <span className="max-sm:hidden" />
      ) : (
        <Link
          href={`/jobs/${jobId}`}
          data-row-link
          title={outcome === 'skipped' ? `Unfinished job ${jobId}` : `Job ${jobId}`}
          className="font-mono text-xs underline decoration-line underline-offset-3 hover:decoration-ink"
        >
          <span className="sr-only">Job </span>
          {jobId.slice(-8)}
        </Link>
      )}
      <span className="text-right text-muted text-xs max-sm:hidden">
        <Age isShort at={at} />
      </span>
    </li>
  )
}
