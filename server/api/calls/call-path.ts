/**
 * Calls of procedures by their path, without the middleware of tRPC, which costs more than the checks themselves. The checks, their
 * order and the errors are those of the procedures: tests compare both.
 */
import { getTRPCErrorFromUnknown, type TRPCError } from '@trpc/server'
import { batchInput } from '../../../shared/contracts/batch.ts'
import type { CallContext } from '../../../shared/queue.ts'
import { SCOPES, type Scope } from '../../../shared/scopes.ts'
import { parseInput } from '../../../shared/verbs/parse-input.ts'
import { VERB_NAMES, VERBS } from '../../../shared/verbs/verbs.ts'
import { requireScope } from '../caller.ts'
import type { ApiContext } from '../context.ts'
import { forCaller } from '../errors.ts'
import { runBatch } from './batch.ts'
import { CALLS, runVerb } from './call-verb.ts'

interface PathCall {
  readonly type: 'mutation' | 'query'
  /** Any one of these scopes is enough. */
  readonly scopes: readonly Scope[]
  readonly run: (ctx: ApiContext, input: unknown, context: CallContext) => Promise<unknown>
}

/** All verbs, and `batch`; not the events, the export or a backup. */
const PATH_CALLS: ReadonlyMap<string, PathCall> = new Map<string, PathCall>([
  ...VERB_NAMES.map((name): [string, PathCall] => {
    const { path, type } = VERBS[name]
    const run: PathCall['run'] = (ctx, input, context) => runVerb(ctx, name, input, context)
    return [path, { type, scopes: CALLS[name].scopes, run }]
  }),
  [
    'batch',
    {
      type: 'mutation',
      scopes: SCOPES,
      run: (ctx, input, context) => runBatch(ctx, parseInput(batchInput, input), context),
    },
  ],
])

/** The type of a procedure that `callPath` can call. */
export function typeOfPath(path: string): PathCall['type'] | undefined {
  return PATH_CALLS.get(path)?.type
}

/** `readInput` runs after the check of the scope: a caller without it gets no error about its input. Rejects with a TRPCError. */
export async function callPath(
  ctx: ApiContext,
  path: string,
  readInput: () => unknown,
  context: CallContext,
): Promise<unknown> {
  try {
    const call = PATH_CALLS.get(path)
    if (!call) throw new Error(`There is no call at ${path}.`)
    requireScope(ctx.caller, call.scopes, path)
    return await call.run(ctx, readInput(), context)
  } catch (cause) {
    throw asTrpcError(cause)
  }
}

function asTrpcError(cause: unknown): TRPCError {
  return forCaller(getTRPCErrorFromUnknown(cause))
}
