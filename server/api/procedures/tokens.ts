/** Procedures under `tokens`. A new token's secret is told once, by `create`. */
import { idInput, noInput } from '../../../shared/contracts/observe.ts'
import { tokenCreateInput } from '../../../shared/contracts/tokens.ts'
import { requireMayMakeTokens } from '../caller.ts'
import { admin } from '../trpc.ts'

export const tokenProcedures = {
  list: admin.input(noInput).query(({ ctx }) => ctx.engine.tokens()),
  create: admin.input(tokenCreateInput).mutation(({ ctx, input }) => {
    requireMayMakeTokens(ctx.caller)
    return ctx.engine.createToken({ ...input, actor: ctx.caller.actor })
  }),
  revoke: admin
    .input(idInput)
    .mutation(({ ctx, input }) => ctx.engine.revokeToken({ ...input, actor: ctx.caller.actor })),
}
