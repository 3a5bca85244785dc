/** Checks of a tRPC request before a procedure runs, and the context of its calls. */
import type { IncomingMessage, ServerResponse } from 'node:http'
import type { TRPCError } from '@trpc/server'
import { readTraceparent } from '../../../shared/contracts/traceparent.ts'
import { QueueError } from '../../../shared/errors.ts'
import { limits } from '../../../shared/limits.ts'
import type { Caller } from '../../api/caller.ts'
import { BatchedReads } from '../../api/calls/batched-reads.ts'
import type { ApiContext } from '../../api/context.ts'
import { isServerFault } from '../../api/errors.ts'
import type { SessionAccess } from '../auth/access.ts'
import { authenticate } from '../auth/authenticate.ts'
import { requireOwnOrigin } from '../auth/origin-check.ts'
import { readText } from '../requests/read-json.ts'
import { requestInfo } from '../requests/request-info.ts'

export interface CallParts extends Pick<ApiContext, 'engine' | 'frames' | 'backups'> {
  /** Receives internal errors. */
  readonly report: (error: unknown, about?: Readonly<Record<string, unknown>>) => void
  readonly config: SessionAccess & { readonly maxBodyBytes: number }
}

export async function authenticateRequest(
  request: IncomingMessage,
  response: ServerResponse,
  config: SessionAccess,
): Promise<Caller> {
  requireOwnOrigin(request, config)
  const caller = await authenticate(request, config)
  requestInfo(response).caller = caller
  return caller
}

/** A mutation without input may have no body; its defaults apply then. */
export async function readBody(request: IncomingMessage, config: CallParts['config']): Promise<string> {
  return (await readText(request, config.maxBodyBytes)) || '{}'
}

export function requireShortBatch(calls: number): void {
  if (calls <= limits.batchCalls) return
  throw new QueueError(
    'TOO_LARGE',
    `${calls} calls in one batch, more than ${limits.batchCalls}; set maxItems of httpBatchLink.`,
  )
}

export interface CallRequest {
  readonly request: IncomingMessage
  readonly response: ServerResponse
  readonly isAlone: boolean
  readonly mayWait: boolean
}

/** For requests that were authenticated. */
export function contextOf(parts: CallParts, { request, response, isAlone, mayWait }: CallRequest): ApiContext {
  const { engine, frames, backups, report } = parts
  const info = requestInfo(response)
  if (!info.caller) throw new Error('This request was not authenticated.')
  const traceparent = readTraceparent(String(request.headers.traceparent ?? ''))
  // Results that are streamed are sent one by one.
  const batchedReads = mayWait ? undefined : new BatchedReads()
  return {
    engine,
    frames,
    caller: info.caller,
    isAlone,
    mayWait,
    batchedReads,
    traceparent,
    backups,
    report,
    tally: info,
  }
}

/** Reports errors of a call that are faults of the server. */
export function reportFault(
  { report }: Pick<CallParts, 'report'>,
  error: TRPCError,
  about: { readonly path: string | undefined; readonly actor: string | undefined },
): void {
  if (isServerFault(error)) report(error.cause ?? error, about)
}
