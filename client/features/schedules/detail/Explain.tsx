/** One sentence: why the schedule does not run, or when it does. */
import { useEffect } from 'react'
import { Link } from 'wouter'
import type { ScheduleExplanation, ScheduleRow } from '../../../../shared/schedules/schedule.ts'
import type { Status } from '../../../../shared/status.ts'
import { api } from '../../../lib/api.ts'
import { localTime } from '../../../ui/Age.tsx'
import { Skeleton } from '../../../ui/Skeleton.tsx'
import { STATE_TONES } from '../schedule-state.ts'

const POLL_EVERY_MS = 15_000
const INSTANT = /\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z/g

export function Explain({ name, row }: { name: string; row: ScheduleRow | undefined }) {
  const { data, error, refetch } = api.schedules.explain.useQuery({ name }, { refetchInterval: POLL_EVERY_MS })
  const version = row && `${row.revision} ${row.nextRunAt}`
  useEffect(() => {
    if (version !== undefined) void refetch()
  }, [version, refetch])
  const tone = toneOf(data?.reason, data?.state)
  return (
    <div data-tone={tone} className="rounded-lg bg-tone/8 px-4 py-2.5 ring-1 ring-tone/20 ring-inset sm:px-5">
      <p className="text-muted text-xs">
        {data && data.reason !== 'waiting' ? 'Why does this schedule not run?' : 'When does this schedule run?'}
      </p>
      {data ? (
        <p data-testid="explain" data-reason={data.reason} className="wrap-anywhere">
          {data.text.replace(INSTANT, (text) => localTime(Date.parse(text)))}
          {row && data.reason === 'type_paused' && (
            <>
              {' '}
              <Link
                href={`/types?${new URLSearchParams({ q: row.effective.type })}`}
                className="underline underline-offset-2"
              >
                View type {row.effective.type}
              </Link>
            </>
          )}
        </p>
      ) : error ? (
        <p className="text-muted">{error.message}</p>
      ) : (
        <Skeleton className="my-0.5 h-4 w-72 max-w-full" />
      )}
    </div>
  )
}

/** Grey as long as all is well, so that a colour means that something needs a look. */
function toneOf(
  reason: ScheduleExplanation['reason'] | undefined,
  state: ScheduleExplanation['state'] | undefined,
): Status {
  if (reason === 'overdue') return 'failed'
  if (reason === undefined || reason === 'waiting' || state === undefined) return 'cancelled'
  return state === 'active' ? 'pending' : STATE_TONES[state]
}
