/** Runs a list of operations, each with its own outcome. */
import type { BatchOutcome, OperationOutcome } from '../../../shared/contracts/batch.ts'
import { QueueError } from '../../../shared/errors.ts'
import type { CallContext } from '../../../shared/queue.ts'
import { isVerb } from '../../../shared/verbs/verbs.ts'
import type { ApiContext } from '../context.ts'
import { reportedErrorData } from '../errors.ts'
import { callVerb } from './call-verb.ts'

interface Given {
  readonly verb: string
  readonly input?: unknown
}

export async function runBatch(
  ctx: ApiContext,
  { ops }: { readonly ops: readonly Given[] },
  context: CallContext,
): Promise<BatchOutcome> {
  // The response is sent with the slowest operation, so none of them may wait.
  const each = { ...ctx, isAlone: false, mayWait: false }
  // All start in this turn: the group commit makes one transaction of their writes.
  return { outcomes: await Promise.all(ops.map((one) => outcomeOf(each, one, context))) }
}

async function outcomeOf(ctx: ApiContext, { verb, input }: Given, context: CallContext): Promise<OperationOutcome> {
  try {
    if (!isVerb(verb)) throw new QueueError('NOT_FOUND', `There is no verb ${verb}; the names are those of Queue.`)
    return { ok: true, value: await callVerb(ctx, verb, input, context) }
  } catch (error) {
    return { ok: false, error: reportedErrorData(ctx.report, error) }
  }
}
