/** URL state of the Schedules page: schedule, search, state, view and the open form or dialog. */
import { useSearchParams } from 'wouter'
import { SCHEDULE_STATES, type ScheduleState } from '../../../shared/schedules/schedule.ts'

type Param = 'schedule' | 'q' | 'state' | 'view' | 'new' | 'edit' | 'pause' | 'backfill' | 'delete'

export function useSchedulesUrl() {
  const [params, setParams] = useSearchParams()
  const state: ScheduleState | null = SCHEDULE_STATES.find((one) => one === params.get('state')) ?? null
  return {
    schedule: params.get('schedule'),
    search: params.get('q') ?? '',
    state,
    isDay: params.get('view') === 'day',
    isNew: params.has('new'),
    isEdit: params.has('edit'),
    /** Name of the schedule whose dialog is open. */
    pausing: params.get('pause'),
    backfilling: params.get('backfill'),
    deleting: params.get('delete'),
    /** null removes the parameter. */
    set(name: Param, value: string | null, { replace = true }: { readonly replace?: boolean } = {}): void {
      setParams(
        (before) => {
          const next = new URLSearchParams(before)
          if (value === null || value === '') next.delete(name)
          else next.set(name, value)
          return next
        },
        { replace },
      )
    },
  }
}
