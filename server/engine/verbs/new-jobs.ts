/** Conversion of parsed enqueue inputs to jobs that a store can insert. */
import { encodePayload } from '../../../shared/json/text.ts'
import type { Params } from '../../../shared/verbs/verb-inputs.ts'
import { newId } from '../../base/ids.ts'
import type { NewJob } from '../../store/ops.ts'
import type { StoreTime } from '../commit/store-time.ts'

export interface NewJobs {
  one(params: Params<'enqueue'>): readonly NewJob[]
  many(params: Params<'enqueueMany'>): readonly NewJob[]
}

export function createNewJobs(maxPayloadBytes: number, time: StoreTime): NewJobs {
  /** `field` is the name of the payload in error messages. */
  const prepare = (params: Params<'enqueue'>, field: string): NewJob => ({
    id: newId(),
    type: params.type,
    kind: params.kind,
    payload: encodePayload(params.payload, maxPayloadBytes, field),
    priority: params.priority,
    delayMs: params.delayMs ?? null,
    runAt: futureOnly(params.runAt, time.now()),
    maxAttempts: params.maxAttempts ?? null,
    timeoutMs: params.timeoutMs ?? null,
    backoff: params.backoff ?? null,
    dedupeKey: params.dedupeKey ?? null,
    dedupeUntil: params.dedupeUntil,
    expiresAt: params.expiresAt ?? null,
    face: params.face,
    traceparent: params.traceparent ?? null,
    groupName: null,
    groupKey: params.group ?? null,
    whenFull: null,
  })

  return {
    one: (params) => [prepare(params, 'payload')],
    many: ({ jobs }) => jobs.map((job, index) => prepare(job, `jobs.${index}.payload`)),
  }
}

/**
 * Null (run at once) for an instant in the past. Claims are ordered by due time, so a job with a past instant would be claimed
 * before jobs that have waited longer.
 */
function futureOnly(runAt: number | undefined, now: number): number | null {
  return runAt !== undefined && runAt > now ? runAt : null
}
