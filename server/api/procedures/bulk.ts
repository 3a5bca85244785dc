/** Procedures under `bulk`: one action on all jobs that match a filter, with progress and undo. */
import { idInput } from '../../../shared/contracts/observe.ts'
import { bulkCountInput, bulkInput } from '../../../shared/contracts/operate.ts'
import { acting } from '../caller.ts'
import { admin, read } from '../trpc.ts'

export const bulkProcedures = {
  count: read.input(bulkCountInput).query(({ ctx, input }) => ctx.engine.parsed.countBulk(input)),
  status: read.input(idInput).query(({ ctx, input }) => ctx.engine.parsed.bulk(input)),
  start: admin.input(bulkInput).mutation(({ ctx, input }) => ctx.engine.parsed.startBulk(acting(ctx, input))),
  cancel: admin.input(idInput).mutation(({ ctx, input }) => ctx.engine.parsed.cancelBulk(acting(ctx, input))),
  undo: admin.input(idInput).mutation(({ ctx, input }) => ctx.engine.parsed.undoBulk(acting(ctx, input))),
}
