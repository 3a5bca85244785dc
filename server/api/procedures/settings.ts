/** Procedures under `settings`: what holds for the whole queue. */
import { noInput } from '../../../shared/contracts/observe.ts'
import { settingsUpdateInput } from '../../../shared/contracts/operate.ts'
import { admin, read } from '../trpc.ts'

export const settingsProcedures = {
  get: read.input(noInput).query(({ ctx }) => ctx.engine.settings()),
  update: admin
    .input(settingsUpdateInput)
    .mutation(({ ctx, input }) => ctx.engine.updateSettings({ ...input, actor: ctx.caller.actor })),
  pause: admin.input(noInput).mutation(({ ctx }) => ctx.engine.pause({ actor: ctx.caller.actor })),
  resume: admin.input(noInput).mutation(({ ctx }) => ctx.engine.resume({ actor: ctx.caller.actor })),
}
