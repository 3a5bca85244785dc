/** `defineJobs`, and the declaration of job types with settings and JSON Schemas. */
import { type $ZodType, toJSONSchema } from 'zod/v4/core'
import { clientTypeName } from '../../../shared/contracts/fields.ts'
import type { DeclareTypesInput } from '../../../shared/contracts/operate.ts'
import { QueueError } from '../../../shared/errors.ts'
import { limits } from '../../../shared/limits.ts'
import type { Queue } from '../../../shared/queue.ts'
import { typeSettingsSchema } from '../../../shared/settings/settings.ts'
import { type JobDefinition, type JobDefinitions, type JobGroup, typeOf } from './definition.ts'
import { checkGroups, declaredGroup } from './group-definition.ts'
import { type OutputOf, parsePart, type Schema } from './standard-schema.ts'

const settingsSchema = typeSettingsSchema.omit({ payloadSchema: true, resultSchema: true, group: true }).optional()

type Payloads = Readonly<Record<string, Schema>>

/** Payload schemas are inferred on their own, so that the parameter of a key function has their output type. */
type KeyedDefinitions<OfPayloads extends Payloads> = {
  readonly [Name in keyof OfPayloads]: Omit<JobDefinition, 'payload' | 'group'> & {
    readonly payload: OfPayloads[Name]
    readonly group?: JobGroup<OutputOf<OfPayloads[Name]>>
  }
}

/** Checks job definitions and returns them. Rejects schemas that JSON cannot represent (dates, maps, big integers) and invalid settings. */
export function defineJobs<const OfPayloads extends Payloads, const Definitions extends KeyedDefinitions<OfPayloads>>(
  definitions: Definitions & { readonly [Name in keyof OfPayloads]: { readonly payload: OfPayloads[Name] } },
): Definitions {
  checkDefinitions(definitions)
  return definitions
}

function checkDefinitions(definitions: JobDefinitions): void {
  const names = new Map<string, string>()
  for (const [name, definition] of Object.entries(definitions)) {
    const type = typeOf(name, definition)
    parsePart(clientTypeName, type, `The type of ${name}`)
    const other = names.get(type)
    if (other !== undefined) {
      throw new QueueError('BAD_INPUT', `${other} and ${name} have the same type ${type}; give each job its own type.`)
    }
    names.set(type, name)
    parsePart(settingsSchema, definition.settings, `The settings of ${name}`)
  }
  checkGroups(definitions)
  declarationsOf(definitions)
}

/** The settings and JSON Schemas of the types, as the queue stores them. */
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
        ...(definition.group && { group: declaredGroup(definition.group) }),
      },
    }
  })
}

/** Declares types in batches. Adds the names of the types to an error. */
export async function declareTypes(
  queue: Pick<Queue, 'declareTypes'>,
  types: DeclareTypesInput['types'],
  signal?: AbortSignal,
): Promise<void> {
  for (let from = 0; from < types.length; from += limits.declareTypes) {
    const batch = types.slice(from, from + limits.declareTypes)
    try {
      await queue.declareTypes({ types: batch }, { signal })
    } catch (error) {
      if (!(error instanceof QueueError)) throw error
      const names = batch.map(({ name }) => name).join(', ')
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
    throw new QueueError('BAD_INPUT', `The ${part} schema of ${name} cannot be represented in JSON: ${reason}.`)
  }
}

/** JSON Schema from the library (Standard JSON Schema); undefined: not supported by the library. */
function toJson(schema: Schema): Record<string, unknown> | undefined {
  const standard = schema['~standard']
  if (describes(standard)) return stable(() => ({ ...standard.jsonSchema.input({ target: 'draft-2020-12' }) }))
  // zod before 4.2, and zod/mini.
  return isZod(schema) ? stable(() => ({ ...toJSONSchema(schema, { io: 'input' }) })) : undefined
}

/** Omits defaults that a function computes anew each time; the property stays optional. */
function stable(describe: () => Record<string, unknown>): Record<string, unknown> {
  const [first, second] = [describe(), describe()]
  return JSON.stringify(first) === JSON.stringify(second) ? first : withoutChangingDefaults(first, second)
}

function withoutChangingDefaults(first: object, second: unknown): Record<string, unknown> {
  const secondEntries = new Map<string, unknown>(isObject(second) ? Object.entries(second) : [])
  const kept = Object.entries(first).filter(
    ([key, value]) => key !== 'default' || JSON.stringify(value) === JSON.stringify(secondEntries.get(key)),
  )
  return Object.fromEntries(
    kept.map(([key, value]) => [
      key,
      isObject(value) && !Array.isArray(value) ? withoutChangingDefaults(value, secondEntries.get(key)) : value,
    ]),
  )
}

function isObject(value: unknown): value is object {
  return typeof value === 'object' && value !== null
}

interface Describing {
  readonly jsonSchema: { input(options: { readonly target: string }): object }
}

function describes(standard: object): standard is Describing {
  return 'jsonSchema' in standard
}

function isZod(schema: Schema): schema is Schema & $ZodType {
  return '_zod' in schema
}
