/** Procedures under `settings`: settings of the whole queue. */
import { noInput } from '../../../shared/contracts/observe.ts'
import { settingsUpdateInput } from '../../../shared/contracts/operate.ts'
import { acting } from '../caller.ts'
import { admin, read } from '../trpc.ts'

export const settingsProcedures = {
  get: read.input(noInput).query(({ ctx }) => ctx.engine.parsed.settings()),
  update: admin
    .input(settingsUpdateInput)
    .mutation(({ ctx, input }) => ctx.engine.parsed.updateSettings(acting(ctx, input))),
  pause: admin.input(noInput).mutation(({ ctx }) => ctx.engine.parsed.pause(acting(ctx, {}))),
  resume: admin.input(noInput).mutation(({ ctx }) => ctx.engine.parsed.resume(acting(ctx, {}))),
}
