/** tRPC over HTTP by the Express adapter of tRPC: streams, and every request that the direct handler does not accept. */
import { createExpressMiddleware } from '@trpc/server/adapters/express'
import type { Request, RequestHandler, Response } from 'express'
import { QueueError } from '../../../shared/errors.ts'
import { type Caller, requireScope } from '../../api/caller.ts'
import { requirePrefix } from '../../api/prefix.ts'
import { appRouter } from '../../api/router.ts'
import type { Clock } from '../../base/clock.ts'
import { authenticate } from '../auth/authenticate.ts'
import type { OpenResponses } from '../requests/open-responses.ts'
import { requireJson } from '../requests/read-json.ts'
import { EventStreams } from './event-stream.ts'
import {
  authenticateRequest,
  type CallParts,
  contextOf,
  readBody,
  reportFault,
  requireShortBatch,
} from './request-checks.ts'

export interface TrpcParts extends CallParts {
  readonly openResponses: OpenResponses
  readonly clock: Clock
}

export function trpcHandlers(parts: TrpcParts): RequestHandler[] {
  const { engine, frames, openResponses, config } = parts
  const streams = new EventStreams(parts)
  const checkRequest: RequestHandler = async (request, response, next) => {
    const caller = await authenticateRequest(request, response, config)
    requireMethod(request.method)
    requireJson(request)
    const name = procedureName(request.path)
    // The path of a batch contains the names of its calls, joined by commas.
    requireShortBatch(name.split(',').length)
    if (name === 'events') {
      await prepareStream(request, response, caller)
      if (streams.begin(request, response)) return
    }
    if (request.method === 'POST') request.body = await readBody(request, config)
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
    createContext({ req, res, info: { calls, accept } }) {
      const isAlone = calls.length === 1
      return contextOf(parts, {
        request: req,
        response: res,
        isAlone,
        mayWait: isAlone || accept === 'application/jsonl',
      })
    },
    // tRPC sets its own Vary header and would drop this value.
    responseMeta: () => ({ headers: new Headers(config.corsOrigins.length > 0 ? { vary: 'origin' } : {}) }),
    onError: ({ error, path, ctx }) => reportFault(parts, error, { path, actor: ctx?.caller.actor }),
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

function decode(path: string): string {
  try {
    return decodeURIComponent(path)
  } catch {
    throw new QueueError('BAD_INPUT', 'The URL is not properly percent-encoded; encode the procedure name.')
  }
}
