/** The typed worker: handlers by the names of their definitions, payloads and results checked on both sides of each. */
import { QueueError } from '../shared/errors.ts'
import type { Queue } from './queue/queue.ts'
import { declarationsOf, declareTypes } from './sdk/define-jobs.ts'
import {
  type JobDefinition,
  type JobDefinitions,
  type ParsedPayloadOf,
  type ResultOf,
  typeOf,
} from './sdk/definition.ts'
import { parsePart } from './sdk/schema.ts'
import { loadedPayload } from './sdk/stored-payload.ts'
import { openWorker, type WorkerOptions } from './start-worker.ts'
import type { Handler } from './worker/handler.ts'
import { FailForGood } from './worker/outcomes.ts'
import type { Worker } from './worker/worker.ts'

/** A handler for each definition that the worker takes; the others are left to other workers. */
export type Handlers<Definitions extends JobDefinitions> = {
  readonly [Name in keyof Definitions]?: Handler<ParsedPayloadOf<Definitions[Name]>, ResultOf<Definitions[Name]>>
}

/** Options of `createWorker`. */
export interface TypedWorkerOptions extends WorkerOptions {
  /**
   * Declare the settings and schemas of the handled jobs before the first job is taken, and again after the queue was out of
   * reach; default true. `false`: somebody else declares them, with `$declare()` of a client.
   */
  readonly declare?: boolean
}

/**
 * Declares the jobs it has handlers for, then takes them. `home` is a queue, or the client of one. While the queue refuses the
 * declaration the worker takes nothing, and its `unreachable` event has the reason.
 */
export function createWorker<const Definitions extends JobDefinitions>(
  home: Queue | { readonly $queue: Queue },
  definitions: Definitions,
  handlers: Handlers<Definitions>,
  { declare = true, ...options }: TypedWorkerOptions = {},
): Worker {
  const queue = '$queue' in home ? home.$queue : home
  const handled = Object.entries(definitions).flatMap(([name, definition]) => {
    const handler = handlers[name]
    return handler ? [{ name, definition, handler }] : []
  })
  if (handled.length === 0) throw new QueueError('BAD_INPUT', 'This worker has no handler; give it at least one.')
  const declared = Object.fromEntries(handled.map(({ name, definition }) => [name, definition]))
  const types = declarationsOf(declared)
  return openWorker(
    queue,
    Object.fromEntries(
      handled.map(({ name, definition, handler }) => [typeOf(name, definition), checked(name, definition, handler)]),
    ),
    options,
    declare ? { prepare: ({ signal }) => declareTypes(queue, types, signal) } : {},
  )
}

/** A job that does not fit will not fit next time either: it fails at once, and says why. */
function checked(name: string, definition: JobDefinition, handler: Handler<never>): Handler {
  return async (job) => {
    const payload = await fitting(() => loadedPayload(definition.payload, job.payload, `The payload of ${name}`))
    // The schema has just made it what the handler's type says.
    const result = await handler({ ...job, payload: payload as never })
    const { result: schema } = definition
    if (schema) await fitting(() => parsePart(schema, result, `The result of ${name}`))
    return result
  }
}

async function fitting<Value>(parse: () => Value | Promise<Value>): Promise<Value> {
  try {
    return await parse()
  } catch (error) {
    throw new FailForGood(error instanceof Error ? error.message : String(error), { cause: error })
  }
}
