/** Procedures under `settings`: what holds for the whole queue. */
import { settingsUpdateInput } from '../../shared/contracts/operate.ts'
import { admin, read } from './trpc.ts'

export const settingsProcedures = {
  get: read.query(({ ctx }) => ctx.engine.settings()),
  update: admin
    .input(settingsUpdateInput)
    .mutation(({ ctx, input }) => ctx.engine.updateSettings({ ...input, actor: ctx.caller.actor })),
  pause: admin.mutation(({ ctx }) => ctx.engine.pause({ actor: ctx.caller.actor })),
  resume: admin.mutation(({ ctx }) => ctx.engine.resume({ actor: ctx.caller.actor })),
}
