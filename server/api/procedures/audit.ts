/** Procedures under `audit`. */
import { auditTrailInput } from '../../../shared/contracts/observe.ts'
import { PARSERS } from '../../../shared/verbs/verb-inputs.ts'
import { admin } from '../trpc.ts'

export const auditProcedures = {
  list: admin
    .input(auditTrailInput.optional())
    .query(({ ctx, input }) => ctx.engine.parsed.auditTrail(input ?? PARSERS.auditTrail())),
}
