/** Validates jobs enqueued to a test queue against their definitions. */

import { QueueError } from '../../../shared/errors.ts'
import { suggestion } from '../../../shared/json/unknown-keys.ts'
import type { ParsedVerbs } from '../../../shared/verbs/verb-inputs.ts'
import { type JobDefinitions, typeOf } from '../jobs/definition.ts'
import { loadedPayload } from '../jobs/stored-payload.ts'

type EnqueueVerbs = Pick<ParsedVerbs, 'enqueue' | 'enqueueMany'>

/** Rejects jobs of undefined types, and payloads that violate their schema. */
export function checkedEnqueue(verbs: EnqueueVerbs, definitions: JobDefinitions): EnqueueVerbs {
  const { enqueue, enqueueMany } = verbs
  const byType = new Map(
    Object.entries(definitions).map(([name, definition]) => [typeOf(name, definition), { name, ...definition }]),
  )
  const check = async ({ type, payload }: { readonly type: string; readonly payload?: unknown }) => {
    const definition = byType.get(type)
    if (!definition) throw unknownTypeError(type, [...byType.keys()])
    await loadedPayload(definition.payload, payload, `The payload of ${definition.name}`)
  }
  return {
    async enqueue(input, context) {
      await check(input)
      return enqueue(input, context)
    },
    async enqueueMany(input, context) {
      for (const job of input.jobs) await check(job)
      return enqueueMany(input, context)
    },
  }
}

export function unknownTypeError(type: string, known: readonly string[]): QueueError {
  const similar = suggestion(type, known)
  const hint = similar === undefined ? `there are ${known.join(', ')}.` : `did you mean ${similar}?`
  return new QueueError('BAD_INPUT', `No job is defined with the type ${type}; ${hint}`)
}
