/** Standard Schema (https://standardschema.dev): what a job's definition needs of a schema, whatever library and version made it. */
import { QueueError } from '../../../shared/errors.ts'

/** A schema of zod 4 (any version, mini too), zod 3.24, Valibot, ArkType or another library that implements Standard Schema. */
export interface Schema<Input = unknown, Output = Input> {
  /** What Standard Schema prescribes. */
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

/** What a schema takes. */
export type InputOf<Given extends Schema> = NonNullable<Given['~standard']['types']>['input']
/** What a schema gives after defaults and transforms. */
export type OutputOf<Given extends Schema> = NonNullable<Given['~standard']['types']>['output']

/**
 * Parses, or refuses with the place and the reason. A promise only when the schema has asynchronous checks: otherwise the
 * caller can go on in the same turn, before the value can be changed.
 */
export function parsePart<Output>(
  schema: Schema<unknown, Output>,
  value: unknown,
  what: string,
): Output | Promise<Output> {
  const validated = schema['~standard'].validate(value)
  return validated instanceof Promise ? validated.then((one) => outputIn(one, what)) : outputIn(validated, what)
}

function outputIn<Output>(validated: Validated<Output>, what: string): Output {
  if (!validated.issues) return validated.value
  throw new QueueError('BAD_INPUT', `${what} does not fit: ${validated.issues.map(textOf).join('; ')}`)
}

function textOf({ path = [], message }: SchemaIssue): string {
  const keys = path.map((part) => String(typeof part === 'object' ? part.key : part))
  return keys.length === 0 ? message : `${keys.join('.')}: ${message}`
}
