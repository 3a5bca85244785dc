/** Procedures under `types`: job types and their settings. */
import { noInput, typeInput } from '../../../shared/contracts/observe.ts'
import { declareTypesInput, typeUpdateInput } from '../../../shared/contracts/operate.ts'
import { acting } from '../caller.ts'
import { admin, read, workOrAdmin } from '../trpc.ts'

export const typeProcedures = {
  list: read.input(noInput).query(({ ctx }) => ctx.engine.parsed.types()),
  get: read.input(typeInput).query(({ ctx, input }) => ctx.engine.parsed.type(input)),
  declare: workOrAdmin
    .input(declareTypesInput)
    .mutation(({ ctx, input }) => ctx.engine.parsed.declareTypes(acting(ctx, input))),
  update: admin.input(typeUpdateInput).mutation(({ ctx, input }) => ctx.engine.parsed.updateType(acting(ctx, input))),
  pause: admin.input(typeInput).mutation(({ ctx, input }) => ctx.engine.parsed.pauseType(acting(ctx, input))),
  resume: admin.input(typeInput).mutation(({ ctx, input }) => ctx.engine.parsed.resumeType(acting(ctx, input))),
}
