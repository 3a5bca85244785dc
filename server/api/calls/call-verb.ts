/** The table of guarded calls, and the function that runs one of them with the permissions of its caller. */
import type { ExchangedData } from '../../../shared/outcomes.ts'
import type { CallContext } from '../../../shared/queue.ts'
import type { Scope } from '../../../shared/scopes.ts'
import { VERBS, type Verb, type VerbResult } from '../../../shared/verbs/verbs.ts'
import { requireScope } from '../caller.ts'
import type { ApiContext } from '../context.ts'
import { requirePrefix, requirePrefixInResult } from '../prefix.ts'
import { countRows } from '../rows.ts'
import { observeCalls } from './observe.ts'
import { operateCalls } from './operate.ts'
import { produceCalls } from './produce.ts'
import { scheduleCalls } from './schedules.ts'
import { workCalls } from './work.ts'

export const CALLS = { ...produceCalls, ...workCalls, ...observeCalls, ...operateCalls, ...scheduleCalls } as const

/** The result of a verb as JSON. */
export type VerbData<Name extends Verb> = Name extends 'exchange' ? ExchangedData : VerbResult<Name>

/** A call without the types of its input, which `run` parses. */
export interface GuardedCall<Result> {
  readonly scopes: readonly Scope[]
  readonly run: (ctx: ApiContext, input: unknown, context: CallContext) => Promise<Result>
}

const calls: { readonly [Name in Verb]: GuardedCall<VerbData<Name>> } = CALLS

/** Checks the scope, the type prefix and the input, and runs the verb. Rejects with a QueueError, or with a fault of the server. */
export function callVerb<Name extends Verb>(
  ctx: ApiContext,
  name: Name,
  input: unknown,
  context?: CallContext,
): Promise<VerbData<Name>> {
  return guardedCall(ctx, VERBS[name].path, calls[name], input, context)
}

/** As `callVerb`, for callers whose scope was checked, and with the limits of a tRPC batch. */
export function runVerb<Name extends Verb>(
  ctx: ApiContext,
  name: Name,
  input: unknown,
  context: CallContext,
): Promise<VerbData<Name>> {
  const { path, type } = VERBS[name]
  const run = () => runCall(ctx, path, calls[name], input, context)
  return ctx.batchedReads && type === 'query' ? ctx.batchedReads.run(run) : run()
}

export async function guardedCall<Result>(
  ctx: ApiContext,
  path: string,
  call: GuardedCall<Result>,
  input: unknown,
  context: CallContext = {},
): Promise<Result> {
  requireScope(ctx.caller, call.scopes, path)
  return runCall(ctx, path, call, input, context)
}

/** Without a type prefix the verb is submitted in this turn, so that the operations of a batch share one transaction. */
async function runCall<Result>(
  ctx: ApiContext,
  path: string,
  call: GuardedCall<Result>,
  input: unknown,
  context: CallContext,
): Promise<Result> {
  const { typePrefix } = ctx.caller
  if (typePrefix !== null) await requirePrefix(typePrefix, { path, input, engine: ctx.engine })
  const result = await call.run(ctx, input, context)
  if (typePrefix !== null) requirePrefixInResult(typePrefix, path, result)
  ctx.tally.rows += countRows(result)
  return result
}
