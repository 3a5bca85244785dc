/** The procedure `batch`: a list of operations in one request, one outcome each. */
import { type BatchOutcome, batchInput, type OperationOutcome } from '../../../shared/contracts/batch.ts'
import { QueueError } from '../../../shared/errors.ts'
import type { CallContext } from '../../../shared/queue.ts'
import { SCOPES } from '../../../shared/scopes.ts'
import { isVerb } from '../../../shared/verbs/verbs.ts'
import { callVerb } from '../calls/call-verb.ts'
import type { ApiContext } from '../context.ts'
import { reportedErrorData } from '../errors.ts'
import { guarded } from '../trpc.ts'

export const batchProcedures = {
  /** Any scope is enough here: each operation requires its own. */
  batch: guarded
    .meta({ scopes: SCOPES })
    .input(batchInput)
    .mutation(async ({ ctx, input, signal }): Promise<BatchOutcome> => {
      // The response is sent with the slowest operation, so none of them may wait.
      const each = { ...ctx, isAlone: false, mayWait: false }
      // All start in this turn: the group commit makes one transaction of their writes.
      return { outcomes: await Promise.all(input.ops.map((one) => outcomeOf(each, one, { signal }))) }
    }),
}

interface Given {
  readonly verb: string
  readonly input?: unknown
}

async function outcomeOf(ctx: ApiContext, { verb, input }: Given, context: CallContext): Promise<OperationOutcome> {
  try {
    if (!isVerb(verb)) throw new QueueError('NOT_FOUND', `There is no verb ${verb}; the names are those of Queue.`)
    return { ok: true, value: await callVerb(ctx, verb, input, context) }
  } catch (error) {
    return { ok: false, error: reportedErrorData(ctx.report, error) }
  }
}
