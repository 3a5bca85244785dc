/** Validates jobs enqueued to a test queue against their definitions. */

import type { EnqueueInput } from '../../../shared/contracts/produce.ts'
import { QueueError } from '../../../shared/errors.ts'
import { suggestion } from '../../../shared/json/unknown-keys.ts'
import type { Queue } from '../../../shared/queue.ts'
import { type JobDefinitions, typeOf } from '../jobs/definition.ts'
import { loadedPayload } from '../jobs/stored-payload.ts'

/** Rejects jobs of undefined types, and payloads that violate their schema. */
export function checkedEnqueue(queue: Queue, definitions: JobDefinitions): Pick<Queue, 'enqueue' | 'enqueueMany'> {
  const { enqueue, enqueueMany } = queue
  const byType = new Map(
    Object.entries(definitions).map(([name, definition]) => [typeOf(name, definition), { name, ...definition }]),
  )
  const check = async ({ type, payload }: EnqueueInput) => {
    const definition = byType.get(type)
    if (!definition) throw unknownTypeError(type, [...byType.keys()])
    await loadedPayload(definition.payload, payload, `The payload of ${definition.name}`)
  }
  return {
    async enqueue(input) {
      await check(input)
      return enqueue(input)
    },
    async enqueueMany(input) {
      for (const job of input.jobs) await check(job)
      return enqueueMany(input)
    },
  }
}

export function unknownTypeError(type: string, known: readonly string[]): QueueError {
  const similar = suggestion(type, known)
  const hint = similar === undefined ? `there are ${known.join(', ')}.` : `did you mean ${similar}?`
  return new QueueError('BAD_INPUT', `No job is defined with the type ${type}; ${hint}`)
}
