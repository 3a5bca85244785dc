/** Defines jobs, and describes them to the queue with their settings and JSON Schemas. */
import { type $ZodType, toJSONSchema } from 'zod/v4/core'
import { ownTypeName } from '../../../shared/contracts/fields.ts'
import type { DeclareTypesInput } from '../../../shared/contracts/operate.ts'
import { QueueError } from '../../../shared/errors.ts'
import { limits } from '../../../shared/limits.ts'
import { typeSettingsSchema } from '../../../shared/settings.ts'
import type { Queue } from '../../queue/queue.ts'
import { type JobDefinitions, typeOf } from './definition.ts'
import { parsePart, type Schema } from './standard-schema.ts'

const settingsSchema = typeSettingsSchema.omit({ payloadSchema: true, resultSchema: true }).optional()

/** Refuses at once schemas of what could not travel as JSON (dates, maps, big integers), and settings that no queue accepts. */
export function defineJobs<const Definitions extends JobDefinitions>(definitions: Definitions): Definitions {
  const names = new Map<string, string>()
  for (const [name, definition] of Object.entries(definitions)) {
    const type = typeOf(name, definition)
    parsePart(ownTypeName, type, `The type of ${name}`)
    const other = names.get(type)
    if (other !== undefined) {
      throw new QueueError('BAD_INPUT', `${other} and ${name} have the same type ${type}; give each a type of its own.`)
    }
    names.set(type, name)
    parsePart(settingsSchema, definition.settings, `The settings of ${name}`)
  }
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

/** In as many calls as that takes. A refusal says what it is about. */
export async function declareTypes(
  queue: Pick<Queue, 'declareTypes'>,
  types: DeclareTypesInput['types'],
  signal?: AbortSignal,
): Promise<void> {
  for (let from = 0; from < types.length; from += limits.declareTypes) {
    const some = types.slice(from, from + limits.declareTypes)
    try {
      await queue.declareTypes({ types: some }, { signal })
    } catch (error) {
      if (!(error instanceof QueueError)) throw error
      const names = some.map(({ name }) => name).join(', ')
      throw new QueueError(
        error.code,
        `The settings of ${names} could not be declared: ${error.message}`,
        error.details,
      )
    }
  }
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
  if (describes(own)) return stable(() => ({ ...own.jsonSchema.input({ target: 'draft-2020-12' }) }))
  // zod before 4.2, and zod/mini.
  return isZod(schema) ? stable(() => ({ ...toJSONSchema(schema, { io: 'input' }) })) : undefined
}

/** A default that a function makes anew each time is described as optional, without the value it happened to make. */
function stable(describe: () => Record<string, unknown>): Record<string, unknown> {
  const [one, other] = [describe(), describe()]
  return JSON.stringify(one) === JSON.stringify(other) ? one : withoutChangingDefaults(one, other)
}

function withoutChangingDefaults(one: object, other: unknown): Record<string, unknown> {
  const others = new Map<string, unknown>(isObject(other) ? Object.entries(other) : [])
  const kept = Object.entries(one).filter(
    ([key, value]) => key !== 'default' || JSON.stringify(value) === JSON.stringify(others.get(key)),
  )
  return Object.fromEntries(
    kept.map(([key, value]) => [
      key,
      isObject(value) && !Array.isArray(value) ? withoutChangingDefaults(value, others.get(key)) : value,
    ]),
  )
}

function isObject(value: unknown): value is object {
  return typeof value === 'object' && value !== null
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
