/** Standard Schema (https://standardschema.dev): schemas of any library that implements it. */
import { QueueError } from '../../../shared/errors.ts'

/** A schema from zod 4 (also zod/mini), zod 3.24, Valibot, ArkType or another library that implements Standard Schema. */
export interface Schema<Input = unknown, Output = Input> {
  /** The properties that Standard Schema requires. */
  readonly '~standard': {
    readonly version: 1
    readonly vendor: string
    readonly validate: (value: unknown) => Validated<Output> | Promise<Validated<Output>>
    readonly types?: { readonly input: Input; readonly output: Output } | undefined
  }
}

type Validated<Output> =
  | { readonly value: Output; readonly issues?: undefined }
  | { readonly issues: readonly SchemaIssue[] }

interface SchemaIssue {
  readonly message: string
  readonly path?: readonly (PropertyKey | { readonly key: PropertyKey })[] | undefined
}

/** Input type of a schema. */
export type InputOf<Given extends Schema> = NonNullable<Given['~standard']['types']>['input']
/** Output type of a schema, after defaults and transforms. */
export type OutputOf<Given extends Schema> = NonNullable<Given['~standard']['types']>['output']

/**
 * Parses, or throws BAD_INPUT with path and reason. Returns a promise only for schemas with asynchronous checks: otherwise the
 * caller continues in the same turn, before the value can be changed.
 */
export function parsePart<Output>(
  schema: Schema<unknown, Output>,
  value: unknown,
  what: string,
): Output | Promise<Output> {
  const validated = schema['~standard'].validate(value)
  return validated instanceof Promise ? validated.then((result) => outputOf(result, what)) : outputOf(validated, what)
}

function outputOf<Output>(validated: Validated<Output>, what: string): Output {
  if (!validated.issues) return validated.value
  throw new QueueError('BAD_INPUT', `${what} failed validation: ${validated.issues.map(formatIssue).join('; ')}`)
}

function formatIssue({ path = [], message }: SchemaIssue): string {
  const keys = path.map((part) => String(typeof part === 'object' ? part.key : part))
  return keys.length === 0 ? message : `${keys.join('.')}: ${message}`
}
