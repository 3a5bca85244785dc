/** OpenAPI descriptions of the schedule procedures. */
import { z } from 'zod'
import { jobFilter } from '../../../shared/contracts/observe.ts'
import { BULK_ACTIONS } from '../../../shared/contracts/operate.ts'
import * as schedules from '../../../shared/contracts/responses-schedules.ts'
import { scheduleCreateInput, scheduleSettingsSchema } from '../../../shared/contracts/schedules.ts'
import { BULK_STATES, type BulkRow } from '../../../shared/records.ts'

const instant = z.int()

/** A bulk operation, as `schedules.backfill` returns it. */
export const backfillResponse: z.ZodObject & z.ZodType<BulkRow> = z.object({
  id: z.uuid(),
  action: z.enum([...BULK_ACTIONS, 'backfill']),
  filter: jobFilter,
  backfill: z.object({ schedule: z.string(), from: instant, to: instant, again: z.boolean() }).nullable(),
  state: z.enum(BULK_STATES),
  actor: z.string(),
  cursor: z.int(),
  matched: z.int(),
  changed: z.int(),
  skipped: z.int(),
  undone: z.int(),
  startsAt: instant,
  undoUntil: instant,
  createdAt: instant,
  finishedAt: instant.nullable(),
})

interface Procedure {
  readonly summary: string
  /** Schema of the result; null: no result. */
  readonly output: z.ZodType | null
}

export const scheduleProcedures: Readonly<Record<string, Procedure>> = {
  'schedules.list': { summary: 'Schedules with their next run, page by page', output: schedules.schedulesResponse },
  'schedules.get': { summary: 'One schedule with its last 50 and next 5 ticks', output: schedules.scheduleResponse },
  'schedules.preview': {
    summary: 'The next ticks of a schedule, or of settings that are not stored',
    output: schedules.schedulePreviewResponse,
  },
  'schedules.explain': {
    summary: 'Explain why a schedule does not run, or when it does',
    output: schedules.scheduleExplainResponse,
  },
  'schedules.create': { summary: 'Create a schedule', output: schedules.schedule },
  'schedules.update': { summary: 'Override settings of a schedule, or clear overrides', output: schedules.schedule },
  'schedules.pause': { summary: 'Stop the ticks of a schedule; its jobs go on', output: schedules.schedule },
  'schedules.resume': { summary: 'Continue with the next tick after now', output: schedules.schedule },
  'schedules.run': { summary: 'Enqueue a job of a schedule now', output: schedules.scheduleRunResponse },
  'schedules.delete': { summary: 'Delete a schedule and its history; its jobs remain', output: null },
  'schedules.backfill': { summary: 'Enqueue the ticks of a past range', output: backfillResponse },
  'schedules.declare': {
    summary: 'Store all schedules of an application; those it no longer declares become orphaned',
    output: schedules.declareSchedulesResponse,
  },
}

export const scheduleComponents: Readonly<Record<string, z.ZodType>> = {
  Schedule: schedules.schedule,
  ScheduleSettings: scheduleSettingsSchema,
  NewSchedule: scheduleCreateInput,
  NextTick: schedules.nextTick,
  ScheduleTick: schedules.scheduleTick,
}
