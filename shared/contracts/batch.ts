/** Contract of the procedure `batch`: a list of operations in one request, one outcome each. */
import { z } from 'zod'
import { limits } from '../limits.ts'
import type { ErrorData } from '../outcomes.ts'
import type { Verb } from '../verbs/verbs.ts'

/** Checked by its verb, with the scopes of the caller: one operation that is refused does not affect the others. */
export interface Operation {
  readonly verb: Verb
  /** The input of the verb. A `waitMs` counts as 0: a batch responds with its slowest operation. */
  readonly input?: unknown
}

/** `verb` is a plain string here, so that an unknown verb fails alone. */
export const batchInput = z.strictObject({
  ops: z
    .array(z.strictObject({ verb: z.string().max(limits.verbLength), input: z.unknown().optional() }))
    .min(1)
    .max(limits.batchOps),
})

export type BatchInput = z.input<typeof batchInput>

/** The outcome of the operation at the same index. */
export type OperationOutcome =
  | { readonly ok: true; readonly value: unknown }
  | { readonly ok: false; readonly error: ErrorData }

export interface BatchOutcome {
  readonly outcomes: readonly OperationOutcome[]
}
