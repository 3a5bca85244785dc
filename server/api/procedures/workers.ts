/** Procedures under `workers`. */
import { noInput } from '../../../shared/contracts/observe.ts'
import { drainInput } from '../../../shared/contracts/operate.ts'
import { acting } from '../caller.ts'
import { admin, read } from '../trpc.ts'

export const workerProcedures = {
  list: read.input(noInput).query(({ ctx }) => ctx.engine.parsed.workers()),
  drain: admin.input(drainInput).mutation(({ ctx, input }) => ctx.engine.parsed.drainWorker(acting(ctx, input))),
}
