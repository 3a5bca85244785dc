/** What producers send. */
import { z } from 'zod'
import { backoffSchema } from '../backoff.ts'
import { limits } from '../limits.ts'
import { KINDS } from '../status.ts'
import { isTraceparent } from '../traceparent.ts'
import { delayMs, instant, ownTypeName, storable } from './fields.ts'

/** Jobs have a column for it, but no claim looks at it: to accept it would promise a limit that nothing keeps. */
const NO_CONCURRENCY_KEYS =
  'concurrency keys are not supported yet; leave concurrencyKey out, or set maxConcurrency of the type'

const refuseConcurrencyKey = {
  error: ({ code, keys }: { readonly code: string; readonly keys?: unknown }) =>
    code === 'unrecognized_keys' && Array.isArray(keys) && keys.includes('concurrencyKey')
      ? NO_CONCURRENCY_KEYS
      : undefined,
}

export const enqueueInput = z
  .strictObject(
    {
      type: ownTypeName,
      payload: z.unknown(),
      priority: z.int().min(-limits.priority).max(limits.priority).default(0),
      delayMs: delayMs.optional(),
      runAt: instant.optional(),
      maxAttempts: z.int().min(1).max(limits.attempts).optional(),
      timeoutMs: z.int().min(limits.timeoutMs.min).max(limits.timeoutMs.max).optional(),
      backoff: backoffSchema.optional(),
      dedupeKey: storable(limits.keyLength).optional(),
      dedupeUntil: z.enum(['removed', 'finished']).default('removed'),
      expiresAt: instant.optional(),
      kind: z.enum(KINDS).default('job'),
      face: storable(20).default('api'),
      traceparent: z
        .string()
        .max(55)
        .regex(/^[0-9a-f]{2}-[0-9a-f]{32}-[0-9a-f]{16}-[0-9a-f]{2}$/)
        .refine(isTraceparent, 'must be a traceparent of the W3C standard')
        .optional(),
    },
    refuseConcurrencyKey,
  )
  .refine((input) => input.delayMs === undefined || input.runAt === undefined, {
    message: 'give delayMs or runAt, not both',
    path: ['delayMs'],
  })

export const enqueueManyInput = z.strictObject({ jobs: z.array(enqueueInput).min(1).max(limits.enqueueMany) })

export type EnqueueInput = z.input<typeof enqueueInput>
export type EnqueueManyInput = z.input<typeof enqueueManyInput>
