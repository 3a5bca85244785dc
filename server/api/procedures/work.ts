/** Procedures of workers. Calls that wait (`waitMs`) must travel alone: see ApiContext.mayWait. */
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
import type { ClaimedJob, SettleResult } from '../../../shared/job.ts'
import type { ClaimTiming } from '../../engine/verbs/work.ts'
import { type ErrorData, isOurs, toData } from '../errors.ts'
import { work } from '../trpc.ts'

/** What became of one settle of an exchange. */
export type Settled =
  | { readonly ok: true; readonly value: SettleResult }
  | { readonly ok: false; readonly error: ErrorData }

export interface Exchanged {
  readonly settled: readonly Settled[]
  readonly jobs: readonly ClaimedJob[]
  readonly timing?: ClaimTiming | undefined
}

export const workProcedures = {
  claim: work.input(claimInput).mutation(({ ctx, input, signal }) => {
    const waitMs = ctx.mayWait ? input.waitMs : 0
    return ctx.engine.claim({ ...input, waitMs }, { signal })
  }),
  exchange: work.input(exchangeInput).mutation(async ({ ctx, input, signal }): Promise<Exchanged> => {
    const { claim, ...rest } = input
    const waiting = claim && { claim: { ...claim, waitMs: ctx.mayWait ? claim.waitMs : 0 } }
    const { settled, ...taken } = await ctx.engine.exchange({ ...rest, ...waiting }, { signal })
    for (const one of settled) if (!one.ok && isOurs(one.error)) ctx.report(one.error)
    return { settled: settled.map((one) => (one.ok ? one : { ok: false, error: toData(one.error) })), ...taken }
  }),
  heartbeat: work.input(heartbeatInput).mutation(({ ctx, input }) => ctx.engine.heartbeat(input)),
  cancellations: work.input(cancellationsInput).query(({ ctx, input, signal }) => {
    const waitMs = ctx.mayWait ? input.waitMs : 0
    return ctx.engine.cancellations({ ...input, waitMs }, { signal })
  }),
  complete: work.input(completeInput).mutation(({ ctx, input }) => ctx.engine.complete(input)),
  fail: work.input(failInput).mutation(({ ctx, input }) => ctx.engine.fail(input)),
  release: work.input(releaseInput).mutation(({ ctx, input }) => ctx.engine.release(input)),
  holders: work.input(holdersInput).query(({ ctx, input }) => ctx.engine.holders(input)),
  progress: work.input(progressInput).mutation(({ ctx, input }) => ctx.engine.progress(input)),
  log: work.input(logInput).mutation(({ ctx, input }) => ctx.engine.log(input)),
}
