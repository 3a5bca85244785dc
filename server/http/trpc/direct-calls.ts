/** Runs the calls of one request, and encodes their results in the format of tRPC's own adapters. */
import { getTRPCErrorFromUnknown, getTRPCErrorShape, TRPCError } from '@trpc/server'
import { getHTTPStatusCode } from '@trpc/server/http'
import type { TRPCErrorShape } from '@trpc/server/rpc'
import type { CallContext } from '../../../shared/queue.ts'
import { EncodedOutcomes } from '../../api/calls/batch-outcomes.ts'
import { callPath } from '../../api/calls/call-path.ts'
import type { ApiContext } from '../../api/context.ts'
import { appRouter } from '../../api/router.ts'
import type { DirectRequest } from './direct-request.ts'

export interface CallOptions {
  readonly ctx: ApiContext
  readonly context: CallContext
  /** JSON; null: no input. */
  readonly text: string | null
  readonly onError: (error: TRPCError, path: string) => void
}

export interface CallResults {
  readonly status: number
  readonly body: string
}

type CallResult = { readonly result: { readonly data: unknown } } | { readonly error: TRPCErrorShape }

export async function runCalls(
  { paths, type, isBatch }: DirectRequest,
  { ctx, context, text, onError }: CallOptions,
): Promise<CallResults> {
  const inputs = new Inputs(text, isBatch)
  const run = async (path: string, index: number): Promise<CallResult> => {
    try {
      return { result: { data: await callPath(ctx, path, () => inputs.at(index), context) } }
    } catch (cause) {
      const error = getTRPCErrorFromUnknown(cause)
      onError(error, path)
      const config = appRouter._def._config
      return { error: getTRPCErrorShape({ config, error, type, path, input: undefined, ctx }) }
    }
  }
  const results = await Promise.all(paths.map(run))
  return { status: getHTTPStatusCode(results), body: encode(results, isBatch) }
}

function encode(results: readonly CallResult[], isBatch: boolean): string {
  const [first] = results
  // The outcomes of a batch were encoded one by one. It is the only call of its request.
  if (first && 'result' in first && first.result.data instanceof EncodedOutcomes) {
    const json = `{"result":{"data":${first.result.data.json}}}`
    return isBatch ? `[${json}]` : json
  }
  return JSON.stringify(isBatch ? results : first)
}

/** Parsed at the first use, so that a caller without the scope gets no error about its input. */
class Inputs {
  private readonly text: string | null
  private readonly isBatch: boolean
  private parsed: { readonly value: unknown } | null = null

  constructor(text: string | null, isBatch: boolean) {
    this.text = text
    this.isBatch = isBatch
  }

  at(index: number): unknown {
    if (this.text === null || this.text === '') return undefined
    this.parsed ??= { value: parse(this.text) }
    const { value } = this.parsed
    if (!this.isBatch) return value
    if (typeof value === 'object' && value !== null && !Array.isArray(value)) return Reflect.get(value, index)
    // The message of tRPC itself.
    throw new TRPCError({ code: 'BAD_REQUEST', message: '"input" needs to be an object when doing a batch call' })
  }
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch (cause) {
    throw new TRPCError({ code: 'BAD_REQUEST', cause })
  }
}
