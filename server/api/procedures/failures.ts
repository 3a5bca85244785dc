/** Procedures under `failures`. */
import { failureGroupsInput } from '../../../shared/contracts/observe.ts'
import { PARSERS } from '../../../shared/verbs/verb-inputs.ts'
import { read } from '../trpc.ts'

export const failureProcedures = {
  groups: read
    .input(failureGroupsInput.optional())
    .query(({ ctx, input }) => ctx.engine.parsed.failureGroups(input ?? PARSERS.failureGroups())),
}
