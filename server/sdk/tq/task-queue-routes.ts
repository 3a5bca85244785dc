/** Task API for host applications (Express, plain Node, Fastify), on the queue of `tq` or any other. */
import type { IncomingMessage, ServerResponse } from 'node:http'
import { QueueError } from '../../../shared/errors.ts'
import {
  defineVerbs,
  type QueueVerbs,
  type Verb,
  type VerbArguments,
  type VerbResult,
} from '../../../shared/verbs/verbs.ts'
import {
  type NodeHandler,
  TASK_VERBS,
  type TaskQueueRouterOptions,
  type TaskQueueVerbs,
  taskRouter,
} from './task-queue-router.ts'
import { tq } from './tq.ts'
import type { Tq } from './tq-interface.ts'

/** A queue, or a `tq`, whose queue is read with each request. */
export type TaskQueueSource = TaskQueueVerbs | Pick<Tq, 'queue'>

/**
 * Middleware for Express, and a handler of plain Node requests: `app.use('/api/task-queue', createTaskQueueRouter())`. Without
 * a queue it serves the one of `tq`, even if `tq.init` is called later. It checks no token: put your own middleware before it.
 */
export function createTaskQueueRouter(queue: TaskQueueSource = tq, options: TaskQueueRouterOptions = {}): NodeHandler {
  return taskRouter(verbsOf(queue), options)
}

/** The members of a Fastify instance that the plugin uses. */
export interface FastifyHost {
  readonly prefix: string
  removeAllContentTypeParsers(): void
  addContentTypeParser(
    contentType: string,
    parser: (request: unknown, payload: unknown, done: (error: Error | null) => void) => void,
  ): unknown
  all(
    path: string,
    handler: (
      request: { readonly raw: IncomingMessage },
      reply: { readonly raw: ServerResponse; hijack(): unknown },
    ) => Promise<void>,
  ): unknown
}

/** Options of the Fastify plugin for the task API. */
export interface TaskQueueRoutesOptions extends Omit<TaskQueueRouterOptions, 'prefix'> {
  /** Mount path in Fastify, such as `/api/task-queue`. Default: the root. */
  readonly prefix?: string
  /** Default: the queue of `tq`. */
  readonly queue?: TaskQueueSource
}

/** A plugin for Fastify: `fastify.register(taskQueueRoutes, { prefix: '/api/task-queue' })`. It checks no token. */
export async function taskQueueRoutes(fastify: FastifyHost, options: TaskQueueRoutesOptions = {}): Promise<void> {
  const { queue = tq, prefix: _, ...rest } = options
  const handle = createTaskQueueRouter(queue, { ...rest, prefix: fastify.prefix })
  // The router reads the body itself, with its own limit and error responses. Fastify scopes these parsers to this plugin.
  fastify.removeAllContentTypeParsers()
  fastify.addContentTypeParser('*', (_request, _payload, done) => done(null))
  fastify.all('/*', async (request, reply) => {
    reply.hijack()
    await handle(request.raw, reply.raw)
  })
}

function verbsOf(source: TaskQueueSource): TaskQueueVerbs {
  if ('enqueue' in source) return source
  if (!('queue' in source)) {
    throw new QueueError(
      'BAD_INPUT',
      'The first argument is neither a queue nor a tq. Pass one, or undefined for the global tq, and options second.',
    )
  }
  const open = () =>
    source.queue().catch((error: unknown) => {
      throw error instanceof QueueError ? new QueueError('CLOSED', error.message) : error
    })
  async function call<Name extends Verb>(name: Name, ...args: VerbArguments<Name>): Promise<VerbResult<Name>> {
    const queue: QueueVerbs = await open()
    return await queue[name](...args)
  }
  return defineVerbs(TASK_VERBS, call)
}
