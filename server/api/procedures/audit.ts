/** Procedures under `audit`. */
import { auditTrailInput } from '../../../shared/contracts/observe.ts'
import { admin } from '../trpc.ts'

export const auditProcedures = {
  list: admin.input(auditTrailInput.optional()).query(({ ctx, input }) => ctx.engine.auditTrail(input)),
}
