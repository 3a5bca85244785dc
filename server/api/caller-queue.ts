/** The queue with the permissions of one caller: each verb calls its procedure, which checks the scope. */
import { callTRPCProcedure, TRPCError } from '@trpc/server'
import { type ExchangedData, fromSettledData } from '../../shared/outcomes.ts'
import type { CallContext, Queue } from '../../shared/queue.ts'
import {
  defineVerbs,
  VERB_NAMES,
  VERBS,
  type Verb,
  type VerbArguments,
  type VerbResult,
  withoutActor,
} from '../../shared/verbs/verbs.ts'
import type { ApiContext } from './context.ts'
import { isServerFault, toQueueError } from './errors.ts'
import { appRouter } from './router.ts'

export type CallerQueue = Pick<Queue, Verb>

export function createCallerQueue(ctx: ApiContext): CallerQueue {
  async function call<Result>(name: Verb, input: unknown, { signal }: CallContext = {}): Promise<Result> {
    const { path, type } = VERBS[name]
    // The actor is the caller of the context; a name in the input is ignored.
    const getRawInput = async () => withoutActor(name, input)
    try {
      return await callTRPCProcedure({ router: appRouter, path, type, ctx, getRawInput, signal, batchIndex: 0 })
    } catch (error) {
      throw toThrown(error)
    }
  }

  function callVerb<Name extends Verb>(name: Name, ...args: VerbArguments<Name>): Promise<VerbResult<Name>> {
    const [input, context] = args
    return call(name, input, context)
  }

  return {
    ...defineVerbs(VERB_NAMES, callVerb),
    async exchange(input, context) {
      const { settled, ...claimed } = await call<ExchangedData>('exchange', input, context)
      return { settled: settled.map(fromSettledData), ...claimed }
    },
  }
}

/** A fault of the server keeps its cause, for the log; every other error becomes the QueueError for the caller. */
function toThrown(error: unknown): unknown {
  if (!(error instanceof TRPCError)) return error
  return isServerFault(error) ? (error.cause ?? error) : toQueueError(error)
}
