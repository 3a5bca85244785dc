/** Procedures under `tokens`. Only `create` returns the secret of a token. */
import { idInput, noInput } from '../../../shared/contracts/observe.ts'
import { tokenCreateInput } from '../../../shared/contracts/tokens.ts'
import { acting, requireMayCreateTokens } from '../caller.ts'
import { admin } from '../trpc.ts'

export const tokenProcedures = {
  list: admin.input(noInput).query(({ ctx }) => ctx.engine.parsed.tokens()),
  create: admin.input(tokenCreateInput).mutation(({ ctx, input }) => {
    requireMayCreateTokens(ctx.caller)
    return ctx.engine.parsed.createToken(acting(ctx, input))
  }),
  revoke: admin.input(idInput).mutation(({ ctx, input }) => ctx.engine.parsed.revokeToken(acting(ctx, input))),
}
