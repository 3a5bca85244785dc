/** The task API in an application of your own, on the queue of `tq` or on any other: Express, plain Node, Fastify. */
import type { IncomingMessage, ServerResponse } from 'node:http'
import { QueueError } from '../../../shared/errors.ts'
import { tq } from '../../sdk/tq/tq.ts'
import type { Tq } from '../../sdk/tq/tq-interface.ts'
import { type NodeHandler, type TaskQueueRouterOptions, type TaskQueueVerbs, taskRouter } from './task-queue-router.ts'

/** A queue, or a `tq`, whose queue is asked for with each request. */
export type TaskQueueSource = TaskQueueVerbs | Pick<Tq, 'queue'>

/**
 * Middleware for Express, and a handler of plain Node requests: `app.use('/api/task-queue', createTaskQueueRouter())`. Without
 * a queue it serves the one of `tq`, also when `tq.init` comes later. It checks no token: put your own middleware before it.
 */
export function createTaskQueueRouter(queue: TaskQueueSource = tq, options: TaskQueueRouterOptions = {}): NodeHandler {
  return taskRouter(verbsOf(queue), options)
}

/** What is used of a Fastify instance. */
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

/** How to mount the task API in Fastify. */
export interface TaskQueueRoutesOptions extends Omit<TaskQueueRouterOptions, 'prefix'> {
  /** Where Fastify mounts it, `/api/task-queue`. Default: the root. */
  readonly prefix?: string
  /** Default: the queue of `tq`. */
  readonly queue?: TaskQueueSource
}

/** A plugin for Fastify: `fastify.register(taskQueueRoutes, { prefix: '/api/task-queue' })`. It checks no token. */
export async function taskQueueRoutes(fastify: FastifyHost, options: TaskQueueRoutesOptions = {}): Promise<void> {
  const { queue = tq, prefix: _, ...rest } = options
  const handle = createTaskQueueRouter(queue, { ...rest, prefix: fastify.prefix })
  // The router reads the request itself, with its own limit and its own refusals; Fastify keeps these parsers to this plugin.
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
  return {
    enqueue: async (input) => (await open()).enqueue(input),
    get: async (input) => (await open()).get(input),
    list: async (input) => (await open()).list(input),
    retry: async (input) => (await open()).retry(input),
    cancel: async (input) => (await open()).cancel(input),
    remove: async (input) => (await open()).remove(input),
    cleanup: async (input) => (await open()).cleanup(input),
    stats: async (input) => (await open()).stats(input),
    pause: async (input) => (await open()).pause(input),
    resume: async (input) => (await open()).resume(input),
    updateSettings: async (input) => (await open()).updateSettings(input),
  }
}
