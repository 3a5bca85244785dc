/** What operators do to jobs; the caller's name goes into the audit trail. */
import { idInput } from '../../../shared/contracts/observe.ts'
import { cleanupInput } from '../../../shared/contracts/operate.ts'
import { admin } from '../trpc.ts'

export const operateProcedures = {
  retry: admin.input(idInput).mutation(({ ctx, input }) => ctx.engine.retry({ ...input, actor: ctx.caller.actor })),
  runNow: admin.input(idInput).mutation(({ ctx, input }) => ctx.engine.runNow({ ...input, actor: ctx.caller.actor })),
  cancel: admin.input(idInput).mutation(({ ctx, input }) => ctx.engine.cancel({ ...input, actor: ctx.caller.actor })),
  remove: admin.input(idInput).mutation(({ ctx, input }) => ctx.engine.remove({ ...input, actor: ctx.caller.actor })),
  cleanup: admin
    .input(cleanupInput.optional())
    .mutation(({ ctx, input }) => ctx.engine.cleanup({ ...input, actor: ctx.caller.actor })),
}
