/** Mounts the REST faces: their guards, the queue as the caller has it, and answers in their own shape. */
import type { IncomingMessage, ServerResponse } from 'node:http'
import type { RequestHandler } from 'express'
import type { Logger } from 'pino'
import { readTraceparent } from '../../../shared/traceparent.ts'
import { requireScope } from '../../api/caller.ts'
import { createCallerQueue } from '../../api/caller-queue.ts'
import type { ApiContext } from '../../api/context.ts'
import { countRows } from '../../api/rows.ts'
import { type Access, admit, identify, identifyForJsonQueue, requireNoOtherPage } from '../auth/guards.ts'
import { readJson, requireJsonBody } from '../requests/json-body.ts'
import { factsOf } from '../requests/request-facts.ts'
import { type Answer, type Asked, nothingHere } from './adapter.ts'
import { jsonQueueFace } from './json-queue.ts'
import { type MessageLimits, messagesFace } from './messages.ts'
import { carry } from './node-handler.ts'
import { tasksFace } from './tasks.ts'

export interface RestParts extends Pick<ApiContext, 'engine' | 'frames'> {
  readonly log: Logger
  readonly config: Access & MessageLimits & { readonly maxBodyBytes: number }
}

/** Everything under /api and /v1; it admits by itself, so that a refusal looks like the others there. */
export function restHandler(parts: RestParts): RequestHandler {
  const { config, log } = parts
  return async (request, response, next) => {
    if (!/^\/(?:api|v1)(?:\/|$)/.test(request.path)) return next()
    const readBody = () => readJson(request, config.maxBodyBytes)
    const report = (error: unknown) => log.error({ err: error }, 'a request failed')
    const carrying = { request, response, readJson: readBody, report }
    const { status, body } = await carry(carrying, (asked) => answer(parts, request, response, asked, report))
    // A refusal carries no row.
    if (status < 400) factsOf(response).rows += countRows(body)
  }
}

async function answer(
  parts: RestParts,
  request: IncomingMessage,
  response: ServerResponse,
  asked: Asked,
  report: ApiContext['report'],
): Promise<Answer> {
  const { config, engine, frames } = parts
  admit(request, config)
  // Every method: a GET takes something away here. Cookies let nobody in.
  requireNoOtherPage(request, config)
  const [root, face, ...path] = asked.path
  const isJsonQueue = root === 'api' && face === 'queue'
  const caller = isJsonQueue ? identifyForJsonQueue(request, config) : identify(request, config)
  factsOf(response).caller = caller
  // A task that cannot be deleted says why, which is not for who could not delete it anyway.
  if (asked.method === 'DELETE') requireScope(caller, ['admin'], 'remove')
  requireJsonBody(request)
  const traceparent = readTraceparent(String(request.headers.traceparent ?? ''))
  const context = { engine, frames, caller, isAlone: true, mayWait: false, traceparent, report, tally: { rows: 0 } }
  const queue = createCallerQueue(context)
  // Who may store or change a job may see what became of it, and nothing else.
  const seeing = { ...caller, scopes: new Set([...caller.scopes, 'read' as const]) }
  const { get: stored } = createCallerQueue({ ...context, caller: seeing })

  if (root === 'v1') return messagesFace({ ...queue, stored }, { ...asked, path: asked.path.slice(1) }, config)
  if (isJsonQueue) return jsonQueueFace(queue, { ...asked, path })
  if (face === 'task-queue') return tasksFace({ ...queue, stored }, { ...asked, path })
  if (face === 'tasks') return tasksFace({ ...queue, stored }, { ...asked, path: asked.path.slice(1) })
  return nothingHere('there are /api/queue, /api/task-queue/tasks, /api/tasks and /v1/messages.')
}
