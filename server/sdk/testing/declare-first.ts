/** Declares the schedules of a test queue before its schedule verbs run. */
import { PARSERS, type ParsedVerbs } from '../../../shared/verbs/verb-inputs.ts'
import { declareSchedules } from '../schedules/declare-schedules.ts'
import type { Schedules } from '../schedules/define-schedules.ts'

/** Resolves when the schedules are declared. The caller need not await it: the verbs do, and reject when it fails. */
export async function declareFirst(verbs: ParsedVerbs, schedules: Schedules | undefined): Promise<void> {
  if (!schedules) return
  const { schedule, previewSchedule, explainSchedule, updateSchedule, pauseSchedule, resumeSchedule } = verbs
  const {
    schedules: list,
    createSchedule,
    runSchedule,
    deleteSchedule,
    backfillSchedule,
    declareSchedules: declare,
  } = verbs
  const declared = declareSchedules(
    { declareSchedules: async (input) => declare(PARSERS.declareSchedules(input)) },
    schedules,
  )
  const after =
    <Args extends unknown[], Result>(verb: (...args: Args) => Promise<Result>) =>
    async (...args: Args): Promise<Result> => {
      await declared
      return verb(...args)
    }
  Object.assign(verbs, {
    schedules: after(list),
    schedule: after(schedule),
    previewSchedule: after(previewSchedule),
    explainSchedule: after(explainSchedule),
    createSchedule: after(createSchedule),
    updateSchedule: after(updateSchedule),
    pauseSchedule: after(pauseSchedule),
    resumeSchedule: after(resumeSchedule),
    runSchedule: after(runSchedule),
    deleteSchedule: after(deleteSchedule),
    backfillSchedule: after(backfillSchedule),
    declareSchedules: after(declare),
  })
  await declared
}
