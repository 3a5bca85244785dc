/** Typed jobs: what each takes and gives back, said once for producers, workers, the dashboard's form and the compiler. */
import { z } from 'zod'
import type { DeclareTypesInput } from '../../shared/contracts/operate.ts'
import { QueueError } from '../../shared/errors.ts'
import type { TypeSettings } from '../../shared/type-settings.ts'

export interface JobDefinition {
  readonly payload: z.ZodType
  /** What the handler gives back; left out: anything that is JSON. */
  readonly result?: z.ZodType
  /** Its name in the queue; default: its name here. */
  readonly type?: string
  /** Limits and retries as code declares them; operators may override each of them. */
  readonly settings?: Omit<TypeSettings, 'payloadSchema' | 'resultSchema'>
}

export type JobDefinitions = Readonly<Record<string, JobDefinition>>

/** What a producer gives, and what the handler gets after defaults and transforms. */
export type PayloadOf<Definition extends JobDefinition> = z.input<Definition['payload']>
export type ParsedPayloadOf<Definition extends JobDefinition> = z.output<Definition['payload']>

/** What the handler gives, and what a producer gets. */
export type ResultOf<Definition extends JobDefinition> = Definition extends {
  readonly result: infer Result extends z.ZodType
}
  ? z.input<Result>
  : unknown
export type ParsedResultOf<Definition extends JobDefinition> = Definition extends {
  readonly result: infer Result extends z.ZodType
}
  ? z.output<Result>
  : unknown

/** Refuses at once what could not travel as JSON: dates, maps, big integers. */
export function defineJobs<const Definitions extends JobDefinitions>(definitions: Definitions): Definitions {
  declarationsOf(definitions)
  return definitions
}

export function typeOf(name: string, definition: JobDefinition | undefined): string {
  return definition?.type ?? name
}

/** For the queue: settings and JSON Schemas, so that others know what a job of this type looks like. */
export function declarationsOf(definitions: JobDefinitions): DeclareTypesInput['types'] {
  return Object.entries(definitions).map(([name, definition]) => ({
    name: typeOf(name, definition),
    settings: {
      ...definition.settings,
      payloadSchema: schemaOf(name, 'payload', definition.payload),
      ...(definition.result && { resultSchema: schemaOf(name, 'result', definition.result) }),
    },
  }))
}

/** Parses with a message for people: which part of what does not fit, and why. */
export function parsePart(schema: z.ZodType, value: unknown, what: string): unknown {
  const parsed = schema.safeParse(value)
  if (parsed.success) return parsed.data
  throw new QueueError('BAD_INPUT', `${what} does not fit: ${issuesOf(parsed.error)}`)
}

function issuesOf({ issues }: z.ZodError): string {
  return issues.map(({ path, message }) => (path.length === 0 ? message : `${path.join('.')}: ${message}`)).join('; ')
}

function schemaOf(name: string, part: string, schema: z.ZodType): Record<string, unknown> {
  try {
    return { ...z.toJSONSchema(schema, { io: 'input' }) }
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error)
    throw new QueueError('BAD_INPUT', `The ${part} of ${name} cannot travel as JSON: ${reason}.`)
  }
}
