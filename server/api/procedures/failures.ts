/** Procedures under `failures`. */
import { failureGroupsInput } from '../../../shared/contracts/observe.ts'
import { read } from '../trpc.ts'

export const failureProcedures = {
  groups: read.input(failureGroupsInput.optional()).query(({ ctx, input }) => ctx.engine.failureGroups(input)),
}
