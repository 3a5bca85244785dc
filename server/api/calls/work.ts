/** Calls of workers. A call with `waitMs` waits only outside batches; see `ApiContext.mayWait`. */
import * as inputs from '../../../shared/contracts/work.ts'
import type { Exchanged, ExchangedData } from '../../../shared/outcomes.ts'
import { parseExchange } from '../../../shared/verbs/exchange-input.ts'
import type { ApiContext } from '../context.ts'
import { reportedErrorData } from '../errors.ts'
import { work } from './call.ts'
import { limitWait } from './waiting.ts'

export const workCalls = {
  claim: work(inputs.claimInput, (ctx, params, context) => ctx.engine.parsed.claim(limitWait(ctx, params), context)),
  exchange: work(
    inputs.exchangeInput,
    async (ctx, { claim, ...rest }, context): Promise<ExchangedData> => {
      const claiming = claim && { claim: limitWait(ctx, claim) }
      return toData(ctx, await ctx.engine.parsed.exchange({ ...rest, ...claiming }, context))
    },
    parseExchange,
  ),
  heartbeat: work(inputs.heartbeatInput, (ctx, params) => ctx.engine.parsed.heartbeat(params)),
  cancellations: work(inputs.cancellationsInput, (ctx, params, context) =>
    ctx.engine.parsed.cancellations(limitWait(ctx, params), context),
  ),
  complete: work(inputs.completeInput, (ctx, params) => ctx.engine.parsed.complete(params)),
  fail: work(inputs.failInput, (ctx, params) => ctx.engine.parsed.fail(params)),
  release: work(inputs.releaseInput, (ctx, params) => ctx.engine.parsed.release(params)),
  holders: work(inputs.holdersInput, (ctx, params) => ctx.engine.parsed.holders(params)),
  progress: work(inputs.progressInput, (ctx, params) => ctx.engine.parsed.progress(params)),
  log: work(inputs.logInput, (ctx, params) => ctx.engine.parsed.log(params)),
}

function toData(ctx: ApiContext, { settled, ...taken }: Exchanged): ExchangedData {
  return {
    settled: settled.map((one) => (one.ok ? one : { ok: false, error: reportedErrorData(ctx, one.error, 'exchange') })),
    ...taken,
  }
}
