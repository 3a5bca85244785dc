/** Schedules page: all schedules, one of them, or the form. */

import { SchedulePage } from './detail/SchedulePage.tsx'
import { EditSchedule, NewSchedule } from './form/ScheduleForms.tsx'
import { SchedulesPage } from './list/SchedulesPage.tsx'
import { useSchedulesUrl } from './use-schedules-url.ts'

export function Schedules() {
  const { schedule, isNew, isEdit } = useSchedulesUrl()
  if (schedule === null) return isNew ? <NewSchedule /> : <SchedulesPage />
  return isEdit ? <EditSchedule key={schedule} name={schedule} /> : <SchedulePage key={schedule} name={schedule} />
}
