/** Procedures of operators on jobs; the caller is the actor in the audit trail. */
import { idInput } from '../../../shared/contracts/observe.ts'
import { cleanupInput } from '../../../shared/contracts/operate.ts'
import { acting } from '../caller.ts'
import { admin } from '../trpc.ts'

export const operateProcedures = {
  retry: admin.input(idInput).mutation(({ ctx, input }) => ctx.engine.parsed.retry(acting(ctx, input))),
  runNow: admin.input(idInput).mutation(({ ctx, input }) => ctx.engine.parsed.runNow(acting(ctx, input))),
  cancel: admin.input(idInput).mutation(({ ctx, input }) => ctx.engine.parsed.cancel(acting(ctx, input))),
  remove: admin.input(idInput).mutation(({ ctx, input }) => ctx.engine.parsed.remove(acting(ctx, input))),
  cleanup: admin
    .input(cleanupInput.optional())
    .mutation(({ ctx, input }) => ctx.engine.parsed.cleanup(acting(ctx, input ?? {}))),
}
