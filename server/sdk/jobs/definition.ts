/** The definition of a job: what it takes and gives back, for producers, workers, the dashboard's form and the compiler. */
import type { TypeSettingsInput } from '../../../shared/settings.ts'
import type { InputOf, OutputOf, Schema } from './standard-schema.ts'

/** Limits, retries and retention of a type. */
export type JobSettings = Omit<TypeSettingsInput, 'payloadSchema' | 'resultSchema'>

/** One job: what it takes, what it gives back, and its settings. */
export interface JobDefinition {
  /** What a producer gives, and the handler gets after defaults and transforms: a schema of zod or another Standard Schema. */
  readonly payload: Schema
  /** What the handler gives back; left out: anything that is JSON. */
  readonly result?: Schema
  /** Its name in the queue; default: its name here. */
  readonly type?: string
  /** Limits and retries as code declares them; operators may override each of them. */
  readonly settings?: JobSettings
}

/** Jobs by their names. */
export type JobDefinitions = Readonly<Record<string, JobDefinition>>

/** What a producer gives, and what the handler gets after defaults and transforms. */
export type PayloadOf<Definition extends JobDefinition> = InputOf<Definition['payload']>
export type ParsedPayloadOf<Definition extends JobDefinition> = OutputOf<Definition['payload']>

/** What the handler gives, and what a producer gets. */
export type ResultOf<Definition extends JobDefinition> = Definition extends {
  readonly result: infer Result extends Schema
}
  ? InputOf<Result>
  : unknown
export type ParsedResultOf<Definition extends JobDefinition> = Definition extends {
  readonly result: infer Result extends Schema
}
  ? OutputOf<Result>
  : unknown

export function typeOf(name: string, definition: JobDefinition | undefined): string {
  return definition?.type ?? name
}
