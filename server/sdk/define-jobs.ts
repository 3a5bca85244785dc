/** Defines jobs, and describes them to the queue with their settings and JSON Schemas. */
import { type $ZodType, toJSONSchema } from 'zod/v4/core'
import type { DeclareTypesInput } from '../../shared/contracts/operate.ts'
import { QueueError } from '../../shared/errors.ts'
import { type JobDefinitions, typeOf } from './definition.ts'
import type { Schema } from './schema.ts'

/** Refuses at once what could not travel as JSON: dates, maps, big integers. */
export function defineJobs<const Definitions extends JobDefinitions>(definitions: Definitions): Definitions {
  declarationsOf(definitions)
  return definitions
}

/** For the queue: settings and JSON Schemas, so that others know what a job of this type looks like. */
export function declarationsOf(definitions: JobDefinitions): DeclareTypesInput['types'] {
  return Object.entries(definitions).map(([name, definition]) => {
    const payloadSchema = schemaOf(name, 'payload', definition.payload)
    const resultSchema = definition.result && schemaOf(name, 'result', definition.result)
    return {
      name: typeOf(name, definition),
      settings: {
        ...definition.settings,
        ...(payloadSchema && { payloadSchema }),
        ...(resultSchema && { resultSchema }),
      },
    }
  })
}

function schemaOf(name: string, part: string, schema: Schema): Record<string, unknown> | undefined {
  try {
    return toJson(schema)
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error)
    throw new QueueError('BAD_INPUT', `The ${part} of ${name} cannot travel as JSON: ${reason}.`)
  }
}

/** The schema's own description (Standard JSON Schema) where it has one; undefined for libraries that give none. */
function toJson(schema: Schema): Record<string, unknown> | undefined {
  const own = schema['~standard']
  if (describes(own)) return { ...own.jsonSchema.input({ target: 'draft-2020-12' }) }
  // zod before 4.2, and zod/mini.
  return isZod(schema) ? { ...toJSONSchema(schema, { io: 'input' }) } : undefined
}

interface Describing {
  readonly jsonSchema: { input(options: { readonly target: string }): object }
}

function describes(own: object): own is Describing {
  return 'jsonSchema' in own
}

function isZod(schema: Schema): schema is Schema & $ZodType {
  return '_zod' in schema
}
