/** The procedure `batch`: a list of operations in one request, one outcome each. */
import { type BatchOutcome, batchInput } from '../../../shared/contracts/batch.ts'
import { SCOPES } from '../../../shared/scopes.ts'
import { runBatch } from '../calls/batch.ts'
import { guarded } from '../trpc.ts'

export const batchProcedures = {
  /** Any scope is enough here: each operation requires its own. */
  batch: guarded
    .meta({ scopes: SCOPES })
    .input(batchInput)
    .mutation(async ({ ctx, input, signal }): Promise<BatchOutcome> => {
      const { outcomes } = await runBatch(ctx, input, { signal })
      return { outcomes }
    }),
}
