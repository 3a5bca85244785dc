/** A guarded call: the scopes, the input and the rules of one verb. tRPC, REST and batches all run it. */
import type { z } from 'zod'
import type { CallContext } from '../../../shared/queue.ts'
import type { Scope } from '../../../shared/scopes.ts'
import { parseInput } from '../../../shared/verbs/parse-input.ts'
import type { ApiContext } from '../context.ts'

export interface Call<In, Out, Result> {
  /** Any one of these scopes is enough. */
  readonly scopes: readonly Scope[]
  readonly input: z.ZodType<Out, In>
  /** Parses what the caller sent and runs the verb with the rules of the API. Throws or rejects with a QueueError. */
  readonly run: (ctx: ApiContext, input: unknown, context: CallContext) => Promise<Result>
}

type Run<Out, Result> = (ctx: ApiContext, params: Out, context: CallContext) => Promise<Result>

/** `parse` replaces the parser of `input` where a faster one gives the same. */
const defineFor =
  (...scopes: readonly Scope[]) =>
  <In, Out, Result>(
    input: z.ZodType<Out, In>,
    run: Run<Out, Result>,
    parse: (given: unknown) => Out = (given) => parseInput(input, given),
  ): Call<In, Out, Result> => ({ scopes, input, run: (ctx, given, context) => run(ctx, parse(given), context) })

export const produce = defineFor('produce')
export const work = defineFor('work')
export const read = defineFor('read')
export const admin = defineFor('admin')
/** Producers may wait for jobs whose ids they know. */
export const produceOrRead = defineFor('read', 'produce')
/** Workers declare the types they handle. */
export const workOrAdmin = defineFor('work', 'admin')
