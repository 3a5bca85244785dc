/** The procedure of a verb: declares the input and the scopes of its call to tRPC, and runs the call. */
import type { z } from 'zod'
import type { Verb } from '../../../shared/verbs/verbs.ts'
import { CALLS, runVerb } from '../calls/call-verb.ts'
import { guarded } from '../trpc.ts'

type InputOf<Name extends Verb> = z.input<(typeof CALLS)[Name]['input']>

/**
 * A standard schema that declares the input as clients see it. The value is passed on unparsed: `runVerb` checks the type prefix
 * first, and parses for REST and batches too.
 */
interface Declared<In> {
  readonly '~standard': {
    readonly version: 1
    readonly vendor: string
    readonly types?: { readonly input: In; readonly output: unknown }
    readonly validate: (value: unknown) => { readonly value: unknown }
  }
  /** Describes the input, for OpenAPI. */
  readonly describedBy: z.ZodType
}

function declared<Name extends Verb>(name: Name): Declared<InputOf<Name>> {
  const standard = { version: 1, vendor: 'millrace', validate: (value: unknown) => ({ value }) } as const
  return { '~standard': standard, describedBy: CALLS[name].input }
}

const declare = <Name extends Verb>(name: Name) => guarded.meta({ scopes: CALLS[name].scopes }).input(declared(name))

export const query = <Name extends Verb>(name: Name) =>
  declare(name).query(({ ctx, input, signal }) => runVerb(ctx, name, input, { signal }))

export const mutation = <Name extends Verb>(name: Name) =>
  declare(name).mutation(({ ctx, input, signal }) => runVerb(ctx, name, input, { signal }))
