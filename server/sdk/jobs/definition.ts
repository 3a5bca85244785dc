/** Job definition: schemas and settings shared by producers, workers and the dashboard. */
import type { GroupSettings } from '../../../shared/contracts/groups.ts'
import type { TypeSettingsInput } from '../../../shared/settings/settings.ts'
import type { GroupKeyOf } from './group-key.ts'
import type { InputOf, OutputOf, Schema } from './standard-schema.ts'

/** Limits, retries and retention of a type. */
export type JobSettings = Omit<TypeSettingsInput, 'payloadSchema' | 'resultSchema' | 'group'>

/** The group of a job: limits, rate and order per key, such as a tenant. */
export interface JobGroup<Payload> extends Omit<GroupSettings, 'key'> {
  /**
   * The key of a job: a function of its parsed payload, which clients with `jobs` call, or a JSON pointer into the stored payload
   * (`/tenantId`), which the queue reads for every producer; default: jobs have a key only when they are enqueued with `group`.
   */
  readonly key?: string | GroupKeyOf<Payload> | undefined
}

/** One job: payload schema, result schema and settings. */
export interface JobDefinition {
  /** Schema of the payload, from zod or another Standard Schema library. Handlers receive its output, with defaults and transforms. */
  readonly payload: Schema
  /** Schema of the handler's return value; without it any JSON is accepted. */
  readonly result?: Schema
  /** The job type in the queue; default: the name of the definition. */
  readonly type?: string
  /** Limits and retries declared in code; operators can override each of them. */
  readonly settings?: JobSettings
  /** Limits, rate and order per key, such as a tenant; operators can override each rule. */
  readonly group?: JobGroup<never>
}

/** Job definitions by name. */
export type JobDefinitions = Readonly<Record<string, JobDefinition>>

/** The payload of `enqueue`; `ParsedPayloadOf` is the payload of the handler, after defaults and transforms. */
export type PayloadOf<Definition extends JobDefinition> = InputOf<Definition['payload']>
export type ParsedPayloadOf<Definition extends JobDefinition> = OutputOf<Definition['payload']>

/** The return value of the handler; `ParsedResultOf` is the result for the producer. */
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
