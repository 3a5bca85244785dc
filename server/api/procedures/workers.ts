/** Procedures under `workers`. */
import { noInput } from '../../../shared/contracts/observe.ts'
import { drainInput } from '../../../shared/contracts/operate.ts'
import { admin, read } from '../trpc.ts'

export const workerProcedures = {
  list: read.input(noInput).query(({ ctx }) => ctx.engine.workers()),
  drain: admin
    .input(drainInput)
    .mutation(({ ctx, input }) => ctx.engine.drainWorker({ ...input, actor: ctx.caller.actor })),
}
