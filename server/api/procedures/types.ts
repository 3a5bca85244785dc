/** Procedures under `types`: what is known of each type of job, and its settings. */
import { noInput, typeInput } from '../../../shared/contracts/observe.ts'
import { declareTypesInput, typeUpdateInput } from '../../../shared/contracts/operate.ts'
import { admin, read, workOrAdmin } from '../trpc.ts'

export const typeProcedures = {
  list: read.input(noInput).query(({ ctx }) => ctx.engine.types()),
  get: read.input(typeInput).query(({ ctx, input }) => ctx.engine.type(input)),
  declare: workOrAdmin
    .input(declareTypesInput)
    .mutation(({ ctx, input }) => ctx.engine.declareTypes({ ...input, actor: ctx.caller.actor })),
  update: admin
    .input(typeUpdateInput)
    .mutation(({ ctx, input }) => ctx.engine.updateType({ ...input, actor: ctx.caller.actor })),
  pause: admin
    .input(typeInput)
    .mutation(({ ctx, input }) => ctx.engine.pauseType({ ...input, actor: ctx.caller.actor })),
  resume: admin
    .input(typeInput)
    .mutation(({ ctx, input }) => ctx.engine.resumeType({ ...input, actor: ctx.caller.actor })),
}
