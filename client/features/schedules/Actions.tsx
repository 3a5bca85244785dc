/** Buttons that run a schedule now, and pause or resume it. */
import type { ScheduleRow } from '../../../shared/schedules/schedule.ts'
import { Button } from '../../ui/Button.tsx'
import { useScheduleActions } from './use-schedule-actions.ts'
import { useSchedulesUrl } from './use-schedules-url.ts'

export function Actions({ row, isSmall = false }: { row: ScheduleRow; isSmall?: boolean }) {
  const { name, paused, state } = row
  const { run, resume, isBusy } = useScheduleActions()
  const { set } = useSchedulesUrl()
  return (
    <>
      <Button
        isSmall={isSmall}
        needs="admin"
        disabled={isBusy}
        weight={isSmall ? 'quiet' : 'plain'}
        onClick={() => run(name)}
        aria-label={`Run now: ${name}`}
      >
        Run now
      </Button>
      <Button
        isSmall={isSmall}
        needs="admin"
        disabled={isBusy || state === 'ended'}
        onClick={() => (paused ? resume(name) : set('pause', name, { replace: false }))}
        aria-label={`${paused ? 'Resume' : 'Pause'} ${name}`}
        className={isSmall ? 'w-17' : 'w-20'}
      >
        {paused ? 'Resume' : 'Pause'}
      </Button>
    </>
  )
}
