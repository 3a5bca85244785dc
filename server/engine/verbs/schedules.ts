/** Verbs of schedules. */
import { QueueError } from '../../../shared/errors.ts'
import type { ScheduleVerbs as QueueSchedules } from '../../../shared/queue.ts'
import type { ParsedVerbs } from '../../../shared/verbs/verb-inputs.ts'

export type ScheduleVerbs = Pick<ParsedVerbs, keyof QueueSchedules>

export function createScheduleVerbs(): ScheduleVerbs {
  const refuse = () => Promise.reject(new QueueError('UNSUPPORTED', 'Schedules are not available yet.'))
  return {
    schedules: refuse,
    schedule: refuse,
    previewSchedule: refuse,
    explainSchedule: refuse,
    createSchedule: refuse,
    updateSchedule: refuse,
    pauseSchedule: refuse,
    resumeSchedule: refuse,
    runSchedule: refuse,
    deleteSchedule: refuse,
    backfillSchedule: refuse,
    declareSchedules: refuse,
  }
}
