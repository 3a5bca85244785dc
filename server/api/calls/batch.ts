/** Runs a list of operations, each with its own outcome: writes together, then reads in small groups. */
import { setImmediate as nextTurn } from 'node:timers/promises'
import type { OperationOutcome } from '../../../shared/contracts/batch.ts'
import { ERRORS, QueueError } from '../../../shared/errors.ts'
import type { CallContext } from '../../../shared/queue.ts'
import { isVerb, VERBS } from '../../../shared/verbs/verbs.ts'
import type { ApiContext } from '../context.ts'
import { reportedErrorData } from '../errors.ts'
import { type GivenOperation, groupOperations, type OperationGroup } from './batch-groups.ts'
import { type EncodedBatch, EncodedOutcomes } from './batch-outcomes.ts'
import { callVerb } from './call-verb.ts'

export async function runBatch(
  ctx: ApiContext,
  { ops }: { readonly ops: readonly GivenOperation[] },
  context: CallContext,
): Promise<EncodedBatch> {
  if (!ctx.isAlone) {
    const message = 'A batch cannot be a call of another batch; send it in a separate request.'
    throw new QueueError('BAD_INPUT', message)
  }
  // The response is sent with the slowest operation, so none of them may wait.
  const each = { ...ctx, isAlone: false, mayWait: false }
  const outcomes = new EncodedOutcomes()
  const [first, ...others] = groupOperations(ops)
  if (first) await runGroup(each, first, outcomes, context)
  for (const group of others) {
    // A group may take long to read and to encode: other requests continue between two of them.
    await nextTurn()
    if (outcomes.room.isFull || context.signal?.aborted) for (const { index } of group.ops) outcomes.refuse(index)
    else await runGroup(each, group, outcomes, context)
  }
  ctx.tally.operations = outcomes.statuses
  return outcomes
}

/** All operations start in this turn: the group commit makes one transaction of their writes. */
async function runGroup(
  ctx: ApiContext,
  { ops, isRead }: OperationGroup,
  outcomes: EncodedOutcomes,
  context: CallContext,
): Promise<void> {
  await Promise.all(
    ops.map(async ({ index, ...one }) => {
      const { outcome, json } = await runOperation(ctx, one, context)
      const status = outcome.ok ? 200 : ERRORS[outcome.error.code].http
      // What a write or a claim has done is stored: its outcome is always delivered.
      if (!isRead) outcomes.room.add(json)
      else if (!outcomes.room.take(json)) return outcomes.refuse(index)
      outcomes.put(index, { outcome, json, status })
    }),
  )
}

interface Ran {
  readonly outcome: OperationOutcome
  readonly json: string
}

async function runOperation(ctx: ApiContext, { verb, input }: GivenOperation, context: CallContext): Promise<Ran> {
  try {
    if (!isVerb(verb)) throw new QueueError('NOT_FOUND', `There is no verb ${verb}; the names are those of Queue.`)
    return encoded({ ok: true, value: await callVerb(ctx, verb, input, context) })
  } catch (error) {
    const path = isVerb(verb) ? VERBS[verb].path : verb
    return encoded({ ok: false, error: reportedErrorData(ctx, error, path) })
  }
}

function encoded(outcome: OperationOutcome): Ran {
  return { outcome, json: JSON.stringify(outcome) }
}
