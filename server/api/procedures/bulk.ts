/** Procedures under `bulk`: one act on everything that matches a filter, in chunks, with progress and undo. */
import { idInput } from '../../../shared/contracts/observe.ts'
import { bulkCountInput, bulkInput } from '../../../shared/contracts/operate.ts'
import { admin, read } from '../trpc.ts'

export const bulkProcedures = {
  count: read.input(bulkCountInput).query(({ ctx, input }) => ctx.engine.countBulk(input)),
  status: read.input(idInput).query(({ ctx, input }) => ctx.engine.bulk(input)),
  start: admin
    .input(bulkInput)
    .mutation(({ ctx, input }) => ctx.engine.startBulk({ ...input, actor: ctx.caller.actor })),
  cancel: admin
    .input(idInput)
    .mutation(({ ctx, input }) => ctx.engine.cancelBulk({ ...input, actor: ctx.caller.actor })),
  undo: admin.input(idInput).mutation(({ ctx, input }) => ctx.engine.undoBulk({ ...input, actor: ctx.caller.actor })),
}
