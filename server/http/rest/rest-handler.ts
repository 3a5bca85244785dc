/** Handler of /api and /v1: authenticates the request and calls the REST adapter of its path. */
import type { IncomingMessage } from 'node:http'
import type { RequestHandler } from 'express'
import type { Logger } from 'pino'
import { readTraceparent } from '../../../shared/contracts/traceparent.ts'
import type { Job } from '../../../shared/job.ts'
import { type Caller, requireScope } from '../../api/caller.ts'
import { createCallerQueue } from '../../api/caller-queue.ts'
import type { ApiContext } from '../../api/context.ts'
import { requirePrefix } from '../../api/prefix.ts'
import { countRows } from '../../api/rows.ts'
import type { Engine } from '../../engine/engine.ts'
import type { Access } from '../auth/access.ts'
import { admit } from '../auth/admission.ts'
import { authenticateByToken, authenticateForJsonQueue } from '../auth/authenticate.ts'
import { requireNoOtherPage } from '../auth/origin-check.ts'
import { readJson, requireJsonBody } from '../requests/read-json.ts'
import { requestInfo } from '../requests/request-info.ts'
import { noSuchRoute, type RestRequest, type RestResponse } from './adapter.ts'
import { jsonQueueAdapter } from './json-queue.ts'
import { type MessageLimits, messagesAdapter } from './messages.ts'
import { handleNodeRequest } from './node-handler.ts'
import { tasksAdapter } from './tasks.ts'

export interface RestParts extends Pick<ApiContext, 'engine' | 'frames'> {
  readonly log: Logger
  readonly config: Access & MessageLimits & { readonly maxBodyBytes: number }
}

/** Handles everything below /api and /v1. Admission runs here, so that its errors have the shape of these APIs. */
export function restHandler(parts: RestParts): RequestHandler {
  const { config, log } = parts
  return async (request, response, next) => {
    if (!/^\/(?:api|v1)(?:\/|$)/.test(request.path)) return next()
    const readBody = () => readJson(request, config.maxBodyBytes)
    const report = (error: unknown) => log.error({ err: error }, 'a request failed')
    const exchange = { request, response, readJson: readBody, report }
    const { status, body } = await handleNodeRequest(exchange, async (restRequest) => {
      const caller = authenticateRest(request, restRequest, config)
      requestInfo(response).caller = caller
      return callAdapter(parts, caller, { request, restRequest, report })
    })
    // Error responses contain no rows.
    if (status < 400) requestInfo(response).rows += countRows(body)
  }
}

function authenticateRest(
  request: IncomingMessage,
  { method, path }: RestRequest,
  config: RestParts['config'],
): Caller {
  admit(request, config)
  // For every method, because a GET may claim a job. Session cookies are not accepted.
  requireNoOtherPage(request, config)
  const caller = isJsonQueue(path) ? authenticateForJsonQueue(request, config) : authenticateByToken(request, config)
  // Checked first: the error for a task that cannot be deleted contains its status.
  if (method === 'DELETE') requireScope(caller, ['admin'], 'remove')
  requireJsonBody(request)
  return caller
}

function isJsonQueue([root, name]: readonly string[]): boolean {
  return root === 'api' && name === 'queue'
}

interface AdapterCall {
  readonly request: IncomingMessage
  readonly restRequest: RestRequest
  readonly report: ApiContext['report']
}

function callAdapter(parts: RestParts, caller: Caller, call: AdapterCall): Promise<RestResponse> {
  const { config, engine, frames } = parts
  const { request, restRequest, report } = call
  const traceparent = readTraceparent(String(request.headers.traceparent ?? ''))
  const context = { engine, frames, caller, isAlone: true, mayWait: false, traceparent, report, tally: { rows: 0 } }
  const queue = createCallerQueue(context)
  const stored = (input: { readonly id: string }) => getStored(engine, caller, input)
  const [root, name] = restRequest.path
  const below = (segments: number) => ({ ...restRequest, path: restRequest.path.slice(segments) })

  if (root === 'v1') return messagesAdapter({ ...queue, stored }, below(1), config)
  if (isJsonQueue(restRequest.path)) return jsonQueueAdapter(queue, below(2))
  if (name === 'task-queue') return tasksAdapter({ ...queue, stored }, below(2))
  if (name === 'tasks') return tasksAdapter({ ...queue, stored }, below(1))
  return noSuchRoute('there are /api/queue, /api/task-queue/tasks, /api/tasks and /v1/messages.')
}

/** Reads a job that the caller creates or changes by this request. That needs no read scope, but the type prefix applies. */
async function getStored(engine: Engine, { typePrefix }: Caller, input: { readonly id: string }): Promise<Job> {
  if (typePrefix !== null) await requirePrefix(typePrefix, { path: 'get', input, engine })
  return engine.get(input)
}
