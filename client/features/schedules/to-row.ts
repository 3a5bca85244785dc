/** Responses as rows: the type of a response leaves the payload out when it may be null. */
import type { EffectiveSchedule, ScheduleDetails, ScheduleRow } from '../../../shared/schedules/schedule.ts'

type Response<Row extends ScheduleRow> = Omit<Row, 'effective'> & {
  readonly effective: Omit<EffectiveSchedule, 'payload'> & { readonly payload?: unknown }
}

export function toRow(response: Response<ScheduleRow>): ScheduleRow {
  return { ...response, effective: toEffective(response.effective) }
}

export function toDetails(response: Response<ScheduleDetails>): ScheduleDetails {
  return { ...response, effective: toEffective(response.effective) }
}

function toEffective(effective: Response<ScheduleRow>['effective']): EffectiveSchedule {
  return { ...effective, payload: effective.payload ?? null }
}
