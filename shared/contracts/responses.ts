/** Response schemas of the core procedures, used for OpenAPI. Type tests keep them equal to the types. */
import { z } from 'zod'
import { ERRORS, type ErrorCode } from '../errors.ts'
import { BLOCKED_CAUSES } from '../explanation.ts'
import { ATTEMPT_OUTCOMES } from '../job.ts'
import { backoffSchema } from '../settings/backoff.ts'
import { STATUSES } from '../status.ts'

const status = z.enum(STATUSES)
const instant = z.int()
const id = z.uuid()

/** The tick of a schedule that a job belongs to. */
export const jobTick = z.object({
  schedule: z.string(),
  at: instant,
  previous: instant.nullable(),
  missed: z.int(),
  backfill: z.boolean(),
})

export const enqueueResponse = z.object({ id, status, deduplicated: z.boolean() })

export const claimedJob = z.object({
  id,
  seq: z.int(),
  type: z.string(),
  payload: z.unknown(),
  version: z.int(),
  attempts: z.int(),
  maxAttempts: z.int(),
  crashes: z.int(),
  priority: z.int(),
  runAt: instant,
  createdAt: instant,
  startedAt: instant,
  leaseUntil: instant,
  timeoutMs: z.int().nullable(),
  traceparent: z.string().nullable(),
  tick: jobTick.nullable(),
})

export const jobSummary = z.object({
  id,
  seq: z.int(),
  type: z.string(),
  status,
  priority: z.int(),
  attempts: z.int(),
  maxAttempts: z.int().nullable(),
  crashes: z.int(),
  version: z.int(),
  runAt: instant,
  leaseUntil: instant.nullable(),
  leaseMs: z.int().nullable(),
  lockedBy: z.string().nullable(),
  error: z.string().nullable(),
  progress: z.number().nullable(),
  dedupeKey: z.string().nullable(),
  dedupeUntil: z.enum(['removed', 'finished']).nullable(),
  timeoutMs: z.int().nullable(),
  backoff: backoffSchema.nullable(),
  face: z.string(),
  cancelRequestedAt: instant.nullable(),
  claimRequestId: z.string().nullable(),
  traceparent: z.string().nullable(),
  groupName: z.string().nullable(),
  groupKey: z.string().nullable(),
  expiresAt: instant.nullable(),
  tick: jobTick.nullable(),
  createdAt: instant,
  updatedAt: instant,
  startedAt: instant.nullable(),
  finishedAt: instant.nullable(),
})

export const job = jobSummary.extend({ payload: z.unknown(), result: z.unknown() })

/** Payload and result are present only with `payloads: true`. */
export const listResponse = z.object({
  jobs: z.array(jobSummary.extend({ payload: z.unknown().optional(), result: z.unknown().optional() })),
  nextCursor: z.string().nullable(),
  total: z.int().nullable(),
})

export const settleResponse = z.object({
  id,
  version: z.int(),
  status,
  runAt: instant.nullable(),
  repeated: z.boolean(),
})

const isCode = (text: string): text is ErrorCode => text in ERRORS
export const errorData = z.object({
  code: z.string().refine(isCode),
  message: z.string(),
  details: z.record(z.string(), z.unknown()),
})

export const exchangeResponse = z.object({
  settled: z.array(
    z.discriminatedUnion('ok', [
      z.object({ ok: z.literal(true), value: settleResponse }),
      z.object({ ok: z.literal(false), error: errorData }),
    ]),
  ),
  jobs: z.array(claimedJob),
  /** Taken just before the response is sent: time since the request arrived, and the clock of the queue. Only with jobs. */
  timing: z.object({ elapsedMs: z.number(), now: instant }).optional(),
})

export const heartbeatResponse = z.object({
  extended: z.array(id),
  lost: z.array(id),
  cancelled: z.array(id),
  draining: z.boolean(),
})

export const actionResponse = z.object({ id, status, changed: z.boolean() })
export const cleanupResponse = z.object({ removed: z.int() })

const counts = z.object({
  scheduled: z.int(),
  blocked: z.int(),
  pending: z.int(),
  processing: z.int(),
  retrying: z.int(),
  completed: z.int(),
  failed: z.int(),
  cancelled: z.int(),
})
const percentiles = z.object({
  p50: z.number().nullable(),
  p95: z.number().nullable(),
  p99: z.number().nullable(),
})

export const statsResponse = z.object({
  counts,
  byType: z.record(z.string(), counts),
  oldestReadyMs: z.number().nullable(),
  oldestReady: z.object({ type: z.string(), ms: z.number() }).nullable(),
  oldestReadyMsByType: z.record(z.string(), z.number()),
  throughput: z.object({
    windowMs: z.int(),
    enqueued: z.int(),
    completed: z.int(),
    failed: z.int(),
    dead: z.int(),
  }),
  latency: z.object({ wait: percentiles, run: percentiles }),
  allTime: z.object({ completed: z.int(), failed: z.int(), runMs: z.number() }).nullable(),
})

export const resultResponse = z.object({
  outcomes: z.array(
    z.discriminatedUnion('status', [
      z.object({ id, status: z.literal('completed'), result: z.unknown() }),
      z.object({ id, status: z.enum(['failed', 'cancelled']), error: z.string().nullable() }),
      z.object({ id, status: z.literal('missing') }),
    ]),
  ),
  notYet: z.array(id),
})

export const explainResponse = z.object({
  id,
  type: z.string(),
  status,
  reason: z.enum([
    'scheduled',
    'retrying',
    'blocked',
    'queue_paused',
    'type_paused',
    'at_max_concurrency',
    'rate_limited',
    'no_worker',
    'waits_for_idle_worker',
    'workers_busy',
    'ready',
    'processing',
    'cancelling',
    'lease_ended',
    'completed',
    'failed',
    'set_aside',
    'cancelled',
  ]),
  text: z.string(),
  at: instant.nullable(),
  line: z
    .object({
      ahead: z.int(),
      isMore: z.boolean(),
      running: z.int(),
      maxConcurrency: z.int().nullable(),
      rate: z.number().nullable(),
      burst: z.int().nullable(),
      queueRate: z.number().nullable(),
      estimatedAt: instant.nullable(),
      workers: z.int(),
      busySlots: z.int(),
      slots: z.int().nullable(),
    })
    .nullable(),
  group: z
    .object({
      name: z.string(),
      key: z.string(),
      cause: z.enum(BLOCKED_CAUSES).nullable(),
      ahead: z.int(),
      isMore: z.boolean(),
      pending: z.int(),
      processing: z.int(),
      blocked: z.int(),
      concurrency: z.int().nullable(),
      stoppedBy: z.string().nullable(),
    })
    .nullable(),
  history: z.array(z.string()),
})

export const attempt = z.object({
  version: z.int(),
  worker: z.string().nullable(),
  startedAt: instant,
  finishedAt: instant,
  outcome: z.enum(ATTEMPT_OUTCOMES),
  statusAfter: status,
  nextRunAt: instant.nullable(),
  error: z.string().nullable(),
  errorKey: z.string().nullable(),
  exitCode: z.int().nullable(),
})
