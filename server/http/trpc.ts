/** Mounts the tRPC router: guards and limits before it, our log after. */
import { createExpressMiddleware } from '@trpc/server/adapters/express'
import type { Request, RequestHandler, Response } from 'express'
import { QueueError } from '../../shared/errors.ts'
import { limits } from '../../shared/limits.ts'
import { readTraceparent } from '../../shared/traceparent.ts'
import { type Caller, requireScope } from '../api/caller.ts'
import type { ApiContext } from '../api/context.ts'
import { isOurFault } from '../api/errors.ts'
import { requirePrefix } from '../api/prefix.ts'
import { appRouter } from '../api/router.ts'
import type { Clock } from '../base/clock.ts'
import { requireJson, requireOwnOrigin } from './auth/guards.ts'
import { identifyPage, type PageAccess } from './auth/session-cookie.ts'
import { EventStreams } from './event-stream.ts'
import { readText } from './requests/json-body.ts'
import type { OpenAnswers } from './requests/open-responses.ts'
import { factsOf } from './requests/request-facts.ts'

export interface TrpcParts extends Pick<ApiContext, 'engine' | 'frames' | 'backups'> {
  /** Hears of faults that are ours. */
  readonly report: (error: unknown, about?: Readonly<Record<string, unknown>>) => void
  readonly answers: OpenAnswers
  readonly clock: Clock
  readonly config: PageAccess & { readonly maxBodyBytes: number }
}

export function trpcHandlers(parts: TrpcParts): RequestHandler[] {
  const { engine, frames, backups, report, answers, config } = parts
  const streams = new EventStreams(parts)
  const receive: RequestHandler = async (request, response, next) => {
    requireOwnOrigin(request, config)
    const caller = await identifyPage(request, config)
    factsOf(response).caller = caller
    requireMethod(request.method)
    requireJson(request)
    const name = nameIn(request.path)
    requireShortBatch(name)
    if (name === 'events') {
      await receiveStream(request, response, caller)
      if (streams.begin(request, response)) return
    }
    // A mutation without input may come without a body, and then asks for its defaults.
    if (request.method === 'POST') request.body = (await readText(request, config.maxBodyBytes)) || '{}'
    next()
  }
  /** Once it is open it can no longer be refused, only cut. */
  const receiveStream = async (request: Request, response: Response, caller: Caller) => {
    requireScope(caller, ['read'], 'events')
    if (caller.typePrefix !== null) await requirePrefix(caller.typePrefix, { path: 'events', input: {}, engine })
    frames.requireRoom()
    answers.add(response, async () => {
      await engine.keyring.refresh()
      return identifyPage(request, config)
    })
  }
  const answer = createExpressMiddleware({
    router: appRouter,
    // A query whose input is too long for an address may come by POST.
    allowMethodOverride: true,
    createContext({ req, res, info }): ApiContext {
      const facts = factsOf(res)
      if (!facts.caller) throw new Error('This request was never identified.')
      const isAlone = info.calls.length === 1
      const mayWait = isAlone || info.accept === 'application/jsonl'
      const traceparent = readTraceparent(req.get('traceparent'))
      return { engine, frames, caller: facts.caller, isAlone, mayWait, traceparent, backups, report, tally: facts }
    },
    // tRPC names what else its answers depend on, and would leave this out.
    responseMeta: () => ({ headers: new Headers(config.corsOrigins.length > 0 ? { vary: 'origin' } : {}) }),
    onError({ error, path, ctx }) {
      if (isOurFault(error)) report(error.cause ?? error, { path, actor: ctx?.caller.actor })
    },
  })
  return [receive, answer]
}

/** Others would be told that their content-type is wrong, which is not what is wrong. */
function requireMethod(method: string): void {
  if (['GET', 'HEAD', 'POST'].includes(method)) return
  throw new QueueError('WRONG_METHOD', `Mutations are called by POST and queries by GET, not by ${method}.`)
}

/** What is called: one procedure, or those of a batch. tRPC would take what stands behind any last slash for it. */
function nameIn(path: string): string {
  const name = decode(path.slice(1))
  if (!name.includes('/')) return name
  throw new QueueError('NOT_FOUND', `There is no procedure ${name}; the names are as in AppRouter, with dots.`)
}

/** The name of a batch is that of its calls, joined by commas. */
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
    throw new QueueError('BAD_INPUT', 'The address is not properly encoded.')
  }
}
