/** tRPC over HTTP: authentication and limits before the router, error log after it. */
import { createExpressMiddleware } from '@trpc/server/adapters/express'
import type { Request, RequestHandler, Response } from 'express'
import { readTraceparent } from '../../shared/contracts/traceparent.ts'
import { QueueError } from '../../shared/errors.ts'
import { limits } from '../../shared/limits.ts'
import { type Caller, requireScope } from '../api/caller.ts'
import type { ApiContext } from '../api/context.ts'
import { isServerFault } from '../api/errors.ts'
import { requirePrefix } from '../api/prefix.ts'
import { appRouter } from '../api/router.ts'
import type { Clock } from '../base/clock.ts'
import type { SessionAccess } from './auth/access.ts'
import { authenticate } from './auth/authenticate.ts'
import { requireOwnOrigin } from './auth/origin-check.ts'
import { EventStreams } from './event-stream.ts'
import type { OpenResponses } from './requests/open-responses.ts'
import { readText, requireJson } from './requests/read-json.ts'
import { requestInfo } from './requests/request-info.ts'

export interface TrpcParts extends Pick<ApiContext, 'engine' | 'frames' | 'backups'> {
  /** Receives internal errors. */
  readonly report: (error: unknown, about?: Readonly<Record<string, unknown>>) => void
  readonly openResponses: OpenResponses
  readonly clock: Clock
  readonly config: SessionAccess & { readonly maxBodyBytes: number }
}

export function trpcHandlers(parts: TrpcParts): RequestHandler[] {
  const { engine, frames, backups, report, openResponses, config } = parts
  const streams = new EventStreams(parts)
  const checkRequest: RequestHandler = async (request, response, next) => {
    requireOwnOrigin(request, config)
    const caller = await authenticate(request, config)
    requestInfo(response).caller = caller
    requireMethod(request.method)
    requireJson(request)
    const name = procedureName(request.path)
    requireShortBatch(name)
    if (name === 'events') {
      await prepareStream(request, response, caller)
      if (streams.begin(request, response)) return
    }
    // A mutation without input may have no body; its defaults apply then.
    if (request.method === 'POST') request.body = (await readText(request, config.maxBodyBytes)) || '{}'
    next()
  }
  /** All checks run before the stream starts: an open stream cannot be rejected with a status, only closed. */
  const prepareStream = async (request: Request, response: Response, caller: Caller) => {
    requireScope(caller, ['read'], 'events')
    if (caller.typePrefix !== null) await requirePrefix(caller.typePrefix, { path: 'events', input: {}, engine })
    frames.requireCapacity()
    openResponses.add(response, async () => {
      await engine.keyring.refresh()
      return authenticate(request, config)
    })
  }
  const runProcedure = createExpressMiddleware({
    router: appRouter,
    // A query whose input is too long for a URL may be sent by POST.
    allowMethodOverride: true,
    createContext({ req, res, info: { calls, accept } }): ApiContext {
      const info = requestInfo(res)
      if (!info.caller) throw new Error('This request was not authenticated.')
      const isAlone = calls.length === 1
      const mayWait = isAlone || accept === 'application/jsonl'
      const traceparent = readTraceparent(req.get('traceparent'))
      return { engine, frames, caller: info.caller, isAlone, mayWait, traceparent, backups, report, tally: info }
    },
    // tRPC sets its own Vary header and would drop this value.
    responseMeta: () => ({ headers: new Headers(config.corsOrigins.length > 0 ? { vary: 'origin' } : {}) }),
    onError({ error, path, ctx }) {
      if (isServerFault(error)) report(error.cause ?? error, { path, actor: ctx?.caller.actor })
    },
  })
  return [checkRequest, runProcedure]
}

/** Runs before the content-type check, which would name the wrong cause for other methods. */
function requireMethod(method: string): void {
  if (['GET', 'HEAD', 'POST'].includes(method)) return
  throw new QueueError('WRONG_METHOD', `${method} is not supported; call mutations by POST and queries by GET.`)
}

/** One procedure name, or the names of a batch. tRPC itself would use only the part behind the last slash. */
function procedureName(path: string): string {
  const name = decode(path.slice(1))
  if (!name.includes('/')) return name
  throw new QueueError('NOT_FOUND', `There is no procedure ${name}; the names are as in AppRouter, with dots.`)
}

/** The path of a batch contains the names of its calls, joined by commas. */
function requireShortBatch(name: string): void {
  const calls = name.split(',').length
  if (calls <= limits.batchCalls) return
  throw new QueueError(
    'TOO_LARGE',
    `${calls} calls in one batch, more than ${limits.batchCalls}; set maxItems of httpBatchLink.`,
  )
}

function decode(path: string): string {
  try {
    return decodeURIComponent(path)
  } catch {
    throw new QueueError('BAD_INPUT', 'The URL is not properly percent-encoded; encode the procedure name.')
  }
}
