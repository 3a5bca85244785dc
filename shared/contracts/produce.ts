/** Inputs of producers. */
import { z } from 'zod'
import { suggestKeys } from '../json/unknown-keys.ts'
import { limits } from '../limits.ts'
import { type BackoffInput, backoffSchema } from '../settings/backoff.ts'
import { type JobKind, KINDS } from '../status.ts'
import { clientTypeName, delayMs, groupKey, instant, storable } from './fields.ts'
import { isTraceparent } from './traceparent.ts'

const KEYS = [
  ...['type', 'payload', 'priority', 'delayMs', 'runAt', 'maxAttempts', 'timeoutMs', 'backoff', 'dedupeKey'],
  ...['dedupeUntil', 'expiresAt', 'kind', 'face', 'traceparent', 'group'],
]

const unknownKeys = {
  error: (issue: { readonly code: string; readonly keys?: unknown }) => suggestKeys(issue, KEYS),
}

export const enqueueInput = z
  .strictObject(
    {
      type: clientTypeName,
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
        .refine(isTraceparent, 'must be a W3C traceparent')
        .optional(),
      group: groupKey.optional(),
    },
    unknownKeys,
  )
  .refine((input) => input.delayMs === undefined || input.runAt === undefined, {
    message: 'use either delayMs or runAt, not both',
    path: ['delayMs'],
  })

export const enqueueManyInput = z.strictObject({
  jobs: z.array(enqueueInput).min(1).max(limits.enqueueMany),
})

/** One job to store. */
export interface EnqueueInput {
  /** The name of the job type; workers choose their jobs by it. */
  type: string
  /** The input of the handler: any JSON value, up to 1 MiB (`MAX_PAYLOAD_BYTES`). */
  payload: unknown
  /** Jobs with a higher number are claimed first; default 0. */
  priority?: number | undefined
  /** Run no earlier than this many milliseconds from now; not together with `runAt`. */
  delayMs?: number | undefined
  /** Run no earlier than this time, in milliseconds UTC; a past time means now; not together with `delayMs`. */
  runAt?: number | undefined
  /** Maximum number of attempts before the job fails; default: the setting of its type. */
  maxAttempts?: number | undefined
  /** Time limit of one attempt, in milliseconds; default: the setting of its type. */
  timeoutMs?: number | undefined
  /** Delay between attempts; default: the setting of its type. */
  backoff?: BackoffInput | undefined
  /**
   * While a job of this type with the same key exists, no second one is stored: the id of the existing job is returned
   * with `deduplicated: true`.
   */
  dedupeKey?: string | undefined
  /**
   * When the key can be used again: `removed` (the job is deleted) or `finished` (it completes, fails or is cancelled);
   * default `removed`.
   */
  dedupeUntil?: 'finished' | 'removed' | undefined
  /** The job is cancelled if it has not started by this time, in milliseconds UTC. */
  expiresAt?: number | undefined
  /** Kind of the type: `job`, `message` (messages API) or `command` (shell workers); default `job`. */
  kind?: JobKind | undefined
  /** Source: the interface that enqueued the job, shown in the dashboard; default `api`. */
  face?: string | undefined
  /** A W3C `traceparent`, passed to the handler so that its spans join your trace. */
  traceparent?: string | undefined
  /** Key of the job in the group of its type, such as a tenant: limits and order hold per key; default: none, or what the type declares. */
  group?: string | undefined
}

/** Several jobs to store in one transaction. */
export interface EnqueueManyInput {
  /** The jobs to store, all of them or none. */
  jobs: EnqueueInput[]
}
