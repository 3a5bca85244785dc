/** Turns what a producer sent into jobs that a store can take, or into a refusal. */
import type { z } from 'zod'
import { type EnqueueInput, enqueueInput, enqueueManyInput } from '../../../shared/contracts/produce.ts'
import { encodePayload } from '../../../shared/json/text.ts'
import type { NewJob } from '../../store/ops.ts'
import type { StoreTime } from '../commit/store-time.ts'
import { newId } from '../ids.ts'
import { parseInput } from './input.ts'

export interface NewJobs {
  one(input: EnqueueInput): readonly NewJob[]
  many(input: { readonly jobs: readonly EnqueueInput[] }): readonly NewJob[]
}

export function createNewJobs(maxPayloadBytes: number, time: StoreTime): NewJobs {
  const prepare = (input: z.output<typeof enqueueInput>, name: string): NewJob => ({
    id: newId(),
    type: input.type,
    kind: input.kind,
    payload: encodePayload(input.payload, maxPayloadBytes, name),
    priority: input.priority,
    delayMs: input.delayMs ?? null,
    runAt: futureOnly(input.runAt, time.now()),
    maxAttempts: input.maxAttempts ?? null,
    timeoutMs: input.timeoutMs ?? null,
    backoff: input.backoff ?? null,
    dedupeKey: input.dedupeKey ?? null,
    dedupeUntil: input.dedupeUntil,
    expiresAt: input.expiresAt ?? null,
    face: input.face,
    traceparent: input.traceparent ?? null,
    concurrencyKey: null,
  })

  return {
    one: (input) => [prepare(parseInput(enqueueInput, input), 'payload')],
    many(input) {
      const { jobs } = parseInput(enqueueManyInput, input)
      return jobs.map((job, index) => prepare(job, `jobs.${index}.payload`))
    },
  }
}

/**
 * Null, which means at once, for an instant gone by. Claims go by due time, so a job that kept such an instant would be claimed
 * before jobs that have waited longer.
 */
function futureOnly(runAt: number | undefined, now: number): number | null {
  return runAt !== undefined && runAt > now ? runAt : null
}
