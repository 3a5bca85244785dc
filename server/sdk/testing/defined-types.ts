/** Job definitions by the types they have in the queue: what a test queue checks enqueued payloads by. */
import type { EnqueueInput } from '../../../shared/contracts/produce.ts'
import { QueueError } from '../../../shared/errors.ts'
import { suggestion } from '../../../shared/unknown-keys.ts'
import type { Queue } from '../../queue/queue.ts'
import { type JobDefinitions, typeOf } from '../jobs/definition.ts'
import { loadedPayload } from '../jobs/stored-payload.ts'

/** Refuses jobs of a type without a definition, and payloads that no handler would get. */
export function checkedEnqueue(queue: Queue, definitions: JobDefinitions): Pick<Queue, 'enqueue' | 'enqueueMany'> {
  const { enqueue, enqueueMany } = queue
  const byType = new Map(Object.entries(definitions).map(([name, one]) => [typeOf(name, one), { name, ...one }]))
  const check = async ({ type, payload }: EnqueueInput) => {
    const definition = byType.get(type)
    if (!definition) throw undefinedType(type, [...byType.keys()])
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

export function undefinedType(type: string, known: readonly string[]): QueueError {
  const meant = suggestion(type, known)
  const hint = meant === undefined ? `there are ${known.join(', ')}.` : `did you mean ${meant}?`
  return new QueueError('BAD_INPUT', `No job is defined with the type ${type}; ${hint}`)
}
