/** Wraps typed handlers with validation of payloads and results. */
import { QueueError } from '../../shared/errors.ts'
import { suggestion } from '../../shared/json/unknown-keys.ts'
import type { Handler } from '../worker/jobs/handler.ts'
import { UnrecoverableError } from '../worker/jobs/handler-errors.ts'
import { withPayload } from '../worker/jobs/job-context.ts'
import {
  type JobDefinition,
  type JobDefinitions,
  type ParsedPayloadOf,
  type ResultOf,
  typeOf,
} from './jobs/definition.ts'
import { parsePart } from './jobs/standard-schema.ts'
import { loadedPayload } from './jobs/stored-payload.ts'

/** Handlers by definition name, for all or some jobs. Each receives the parsed payload and returns the result of the definition. */
export type Handlers<Definitions extends JobDefinitions> = {
  readonly [Name in keyof Definitions]?: Handler<ParsedPayloadOf<Definitions[Name]>, ResultOf<Definitions[Name]>>
}

export interface CheckedHandler {
  readonly name: string
  readonly type: string
  readonly definition: JobDefinition
  readonly handler: Handler
}

/** Rejects handlers without a definition, because their jobs would never run. */
export function checkHandlers(
  definitions: JobDefinitions,
  handlers: Readonly<Record<string, Handler<never> | undefined>>,
): readonly CheckedHandler[] {
  for (const name of Object.keys(handlers)) {
    if (Object.hasOwn(definitions, name)) continue
    const similar = suggestion(name, Object.keys(definitions))
    const hint =
      similar === undefined ? `the jobs are ${Object.keys(definitions).join(', ')}.` : `did you mean ${similar}?`
    throw new QueueError('BAD_INPUT', `There is a handler for ${name}, but no job of that name is defined; ${hint}`)
  }
  return Object.entries(definitions).flatMap(([name, definition]) => {
    const handler = handlers[name]
    if (!handler) return []
    return [{ name, type: typeOf(name, definition), definition, handler: withChecks(name, definition, handler) }]
  })
}

/** A payload or result that violates its schema fails the job without a retry. */
function withChecks(name: string, definition: JobDefinition, handler: Handler<never>): Handler {
  return async (job) => {
    const payload = await failJobOnError(() => loadedPayload(definition.payload, job.payload, `The payload of ${name}`))
    // The schema has just validated the payload.
    const result = await handler(withPayload(job, payload as never))
    const { result: schema } = definition
    if (schema) await failJobOnError(() => parsePart(schema, result, `The result of ${name}`))
    return result
  }
}

async function failJobOnError<Value>(parse: () => Value | Promise<Value>): Promise<Value> {
  try {
    return await parse()
  } catch (error) {
    throw new UnrecoverableError(error instanceof Error ? error.message : String(error), { cause: error })
  }
}
