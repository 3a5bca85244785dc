/** Procedures of workers. A call with `waitMs` waits only outside batches; see `ApiContext.mayWait`. */

import {
  cancellationsInput,
  claimInput,
  completeInput,
  exchangeInput,
  failInput,
  heartbeatInput,
  holdersInput,
  logInput,
  progressInput,
  releaseInput,
} from '../../../shared/contracts/work.ts'
import type { ExchangedData } from '../../../shared/outcomes.ts'
import { isServerFaultCode, toErrorData } from '../errors.ts'
import { work } from '../trpc.ts'

export const workProcedures = {
  claim: work.input(claimInput).mutation(({ ctx, input, signal }) => {
    const waitMs = ctx.mayWait ? input.waitMs : 0
    return ctx.engine.parsed.claim({ ...input, waitMs }, { signal })
  }),
  exchange: work.input(exchangeInput).mutation(async ({ ctx, input, signal }): Promise<ExchangedData> => {
    const { claim, ...rest } = input
    const waiting = claim && { claim: { ...claim, waitMs: ctx.mayWait ? claim.waitMs : 0 } }
    const { settled, ...taken } = await ctx.engine.parsed.exchange({ ...rest, ...waiting }, { signal })
    for (const one of settled) if (!one.ok && isServerFaultCode(one.error)) ctx.report(one.error)
    return { settled: settled.map((one) => (one.ok ? one : { ok: false, error: toErrorData(one.error) })), ...taken }
  }),
  heartbeat: work.input(heartbeatInput).mutation(({ ctx, input }) => ctx.engine.parsed.heartbeat(input)),
  cancellations: work.input(cancellationsInput).query(({ ctx, input, signal }) => {
    const waitMs = ctx.mayWait ? input.waitMs : 0
    return ctx.engine.parsed.cancellations({ ...input, waitMs }, { signal })
  }),
  complete: work.input(completeInput).mutation(({ ctx, input }) => ctx.engine.parsed.complete(input)),
  fail: work.input(failInput).mutation(({ ctx, input }) => ctx.engine.parsed.fail(input)),
  release: work.input(releaseInput).mutation(({ ctx, input }) => ctx.engine.parsed.release(input)),
  holders: work.input(holdersInput).query(({ ctx, input }) => ctx.engine.parsed.holders(input)),
  progress: work.input(progressInput).mutation(({ ctx, input }) => ctx.engine.parsed.progress(input)),
  log: work.input(logInput).mutation(({ ctx, input }) => ctx.engine.parsed.log(input)),
}
