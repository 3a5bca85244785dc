/** Handlers by the names of their definitions, with payloads and results checked on both sides of each. */
import { QueueError } from '../../shared/errors.ts'
import { suggestion } from '../../shared/unknown-keys.ts'
import type { Handler } from '../worker/jobs/handler.ts'
import { FailForGood } from '../worker/jobs/handler-errors.ts'
import {
  type JobDefinition,
  type JobDefinitions,
  type ParsedPayloadOf,
  type ResultOf,
  typeOf,
} from './jobs/definition.ts'
import { parsePart } from './jobs/standard-schema.ts'
import { loadedPayload } from './jobs/stored-payload.ts'

/** A handler for each job, or for some: it gets the parsed payload and returns what the definition takes as a result. */
export type Handlers<Definitions extends JobDefinitions> = {
  readonly [Name in keyof Definitions]?: Handler<ParsedPayloadOf<Definitions[Name]>, ResultOf<Definitions[Name]>>
}

export interface CheckedHandler {
  readonly name: string
  readonly type: string
  readonly definition: JobDefinition
  readonly handler: Handler
}

/** Refuses handlers that have no definition: their jobs would never run. */
export function checkHandlers(
  definitions: JobDefinitions,
  handlers: Readonly<Record<string, Handler<never> | undefined>>,
): readonly CheckedHandler[] {
  for (const name of Object.keys(handlers)) {
    if (Object.hasOwn(definitions, name)) continue
    const meant = suggestion(name, Object.keys(definitions))
    const hint = meant === undefined ? `the jobs are ${Object.keys(definitions).join(', ')}.` : `did you mean ${meant}?`
    throw new QueueError('BAD_INPUT', `There is a handler for ${name}, and no such job is defined; ${hint}`)
  }
  return Object.entries(definitions).flatMap(([name, definition]) => {
    const handler = handlers[name]
    if (!handler) return []
    return [{ name, type: typeOf(name, definition), definition, handler: checked(name, definition, handler) }]
  })
}

/** A job that does not fit will not fit next time either: it fails at once, with the reason. */
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
