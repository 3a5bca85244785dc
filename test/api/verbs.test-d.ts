/** The table of verbs against the router: each procedure accepts the input of its verb and returns its result. Nothing here runs. */
import type { RouterInputs, RouterOutputs } from '../../server/api/router.ts'
import type { ExchangedData } from '../../shared/outcomes.ts'
import type { Actor } from '../../shared/queue.ts'
import type { VERBS, Verb, VerbArguments, VerbResult } from '../../shared/verbs/verbs.ts'

type At<Tree, Path extends string> = Path extends `${infer Outer}.${infer Inner}`
  ? Outer extends keyof Tree
    ? At<Tree[Outer], Inner>
    : never
  : Path extends keyof Tree
    ? Tree[Path]
    : never
type PathOf<Name extends Verb> = (typeof VERBS)[Name]['path']

/** JSON as a caller may treat it: tRPC types fields of type `unknown` as optional. */
type Loose<Value> = Value extends readonly (infer Item)[]
  ? readonly Loose<Item>[]
  : Value extends object
    ? { readonly [Key in keyof Value as unknown extends Value[Key] ? never : Key]: Loose<Value[Key]> }
    : Value

type ResultOf<Name extends Verb> = Name extends 'exchange' ? ExchangedData : VerbResult<Name>
/** Void results are skipped, because tRPC types them as never. */
type Mismatched = {
  [Name in Verb]: VerbResult<Name> extends void
    ? never
    : [At<RouterOutputs, PathOf<Name>>] extends [never]
      ? Name
      : Loose<At<RouterOutputs, PathOf<Name>>> extends Loose<ResultOf<Name>>
        ? never
        : Name
}[Verb]

type Sent<Name extends Verb> = Omit<NonNullable<VerbArguments<Name>[0]>, keyof Actor>
type Rejected = {
  [Name in Verb]: VerbArguments<Name>[0] extends undefined
    ? never
    : Loose<Sent<Name>> extends Loose<NonNullable<At<RouterInputs, PathOf<Name>>>>
      ? never
      : Name
}[Verb]

export function everyVerbMatches(result: Mismatched, input: Rejected): readonly never[] {
  return [result, input]
}
