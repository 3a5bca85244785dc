/** Calls of schedules. A schedule of kind `command` needs the same permission as an enqueue of a command. */
import * as inputs from '../../../shared/contracts/schedules.ts'
import type { JobKind } from '../../../shared/status.ts'
import { PARSERS } from '../../../shared/verbs/verb-inputs.ts'
import { acting, type Caller, requireCommands } from '../caller.ts'
import { admin, read, workOrAdmin } from './call.ts'

export const scheduleCalls = {
  schedules: read(inputs.schedulesInput.optional(), (ctx, params = PARSERS.schedules()) =>
    ctx.engine.parsed.schedules(params),
  ),
  schedule: read(inputs.scheduleInput, (ctx, params) => ctx.engine.parsed.schedule(params)),
  previewSchedule: read(inputs.schedulePreviewInput, (ctx, params) => ctx.engine.parsed.previewSchedule(params)),
  explainSchedule: read(inputs.scheduleInput, (ctx, params) => ctx.engine.parsed.explainSchedule(params)),
  createSchedule: admin(inputs.scheduleCreateInput, async (ctx, params) => {
    requireKinds(ctx.caller, [params])
    return ctx.engine.parsed.createSchedule(acting(ctx, params))
  }),
  updateSchedule: admin(inputs.scheduleUpdateInput, async (ctx, params) => {
    const { effective } = await ctx.engine.schedule({ name: params.name })
    requireKinds(ctx.caller, [effective, params.set])
    return ctx.engine.parsed.updateSchedule(acting(ctx, params))
  }),
  pauseSchedule: admin(inputs.schedulePauseInput, (ctx, params) =>
    ctx.engine.parsed.pauseSchedule(acting(ctx, params)),
  ),
  resumeSchedule: admin(inputs.scheduleInput, (ctx, params) => ctx.engine.parsed.resumeSchedule(acting(ctx, params))),
  runSchedule: admin(inputs.scheduleInput, (ctx, params) => ctx.engine.parsed.runSchedule(acting(ctx, params))),
  deleteSchedule: admin(inputs.scheduleInput, (ctx, params) => ctx.engine.parsed.deleteSchedule(acting(ctx, params))),
  backfillSchedule: admin(inputs.scheduleBackfillInput, (ctx, params) =>
    ctx.engine.parsed.backfillSchedule(acting(ctx, params)),
  ),
  declareSchedules: workOrAdmin(inputs.declareSchedulesInput, async (ctx, params) => {
    requireKinds(ctx.caller, params.schedules)
    return ctx.engine.parsed.declareSchedules(acting(ctx, params))
  }),
}

function requireKinds(caller: Caller, settings: readonly { readonly kind?: JobKind | undefined }[]): void {
  requireCommands(
    caller,
    settings.map(({ kind = 'job' }) => ({ kind })),
  )
}
