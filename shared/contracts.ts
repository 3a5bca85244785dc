/** Zod contracts of the core procedures: the shapes, defaults and bounds that every door shares. */
import { z } from 'zod'
import { backoffSchema } from './backoff.ts'
import { LOG_STREAMS } from './job.ts'
import { limits } from './limits.ts'
import { KINDS, STATUSES } from './status.ts'
import { isStorable } from './text.ts'

const PRINTABLE = /^[^\p{Cc}\p{Cs}\p{Zl}\p{Zp}]+$/u

const storable = (max: number) =>
  z.string().min(1).max(max).refine(isStorable, 'contains a NUL or a lone surrogate; remove it')

export const typeName = z
  .string()
  .min(1)
  .max(limits.typeLength)
  .regex(PRINTABLE, 'must be printable characters only, without line breaks or control characters')
export const workerName = z
  .string()
  .min(1)
  .max(limits.workerLength)
  .regex(PRINTABLE, 'must be printable characters only')
export const jobId = z.uuid()
export const version = z.int().min(1)
export const instant = z.int().min(0).max(limits.instant)
export const statusList = z.array(z.enum(STATUSES)).max(STATUSES.length)
const leaseMs = z.int().min(limits.leaseMs.min).max(limits.leaseMs.max)
const delayMs = z.int().min(0).max(limits.delayMs)

export const enqueueInput = z
  .strictObject({
    type: typeName,
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
      .optional(),
    concurrencyKey: storable(limits.keyLength).optional(),
  })
  .refine((input) => input.delayMs === undefined || input.runAt === undefined, {
    message: 'give delayMs or runAt, not both',
    path: ['delayMs'],
  })

export const enqueueManyInput = z.strictObject({ jobs: z.array(enqueueInput).min(1).max(limits.enqueueMany) })

export const claimInput = z.strictObject({
  worker: workerName,
  types: z.array(typeName).min(1).max(100).optional(),
  limit: z.int().min(1).max(limits.claim).default(1),
  waitMs: z.int().min(0).max(limits.waitMs).default(0),
  leaseMs: leaseMs.optional(),
  requestId: storable(limits.requestIdLength).optional(),
  settle: z.boolean().default(false),
})

export const completeInput = z.strictObject({ id: jobId, version, result: z.unknown().optional() })
export const failInput = z.strictObject({
  id: jobId,
  version,
  error: z.string(),
  retry: z.boolean().default(true),
  retryInMs: delayMs.optional(),
  exitCode: z.int().min(-1_000).max(1_000).optional(),
})
export const releaseInput = z.strictObject({ id: jobId, version, delayMs: delayMs.default(0) })

export const settleInput = z.discriminatedUnion('kind', [
  completeInput.extend({ kind: z.literal('complete') }),
  failInput.extend({ kind: z.literal('fail') }),
  releaseInput.extend({ kind: z.literal('release') }),
])

export const exchangeInput = z.strictObject({
  worker: workerName,
  settle: z.array(settleInput).max(limits.settle).default([]),
  claim: claimInput.omit({ worker: true }).optional(),
})

export const heartbeatInput = z.strictObject({
  worker: workerName,
  leases: z.array(z.strictObject({ id: jobId, version })).max(limits.leases),
  leaseMs: leaseMs.optional(),
})

export const progressInput = z.strictObject({ id: jobId, version, progress: z.number().min(0).max(100) })
export const logInput = z.strictObject({
  id: jobId,
  version,
  lines: z
    .array(z.strictObject({ line: z.string(), stream: z.enum(LOG_STREAMS).default('log') }))
    .min(1)
    .max(limits.logLines),
})

const jsonScalar = z.union([
  z.string().max(limits.keyLength).refine(isStorable, 'contains a NUL or a lone surrogate'),
  z.number(),
  z.boolean(),
  z.null(),
])

/** Which jobs: shared by list, export and bulk. */
export const jobFilter = z.strictObject({
  status: statusList.optional(),
  type: typeName.optional(),
  worker: workerName.optional(),
  priority: z.int().min(-limits.priority).max(limits.priority).optional(),
  /** `{ path: 'user.id', equals: 42 }`: array positions are numbers, `items.0.sku`. */
  payload: z
    .strictObject({
      path: z
        .string()
        .min(1)
        .max(200)
        .regex(/^[\p{L}\p{N}_$-]+(?:\.[\p{L}\p{N}_$-]+)*$/u, 'must be names joined by dots'),
      equals: jsonScalar,
    })
    .refine(({ path }) => path.split('.').filter((part) => /^\d+$/.test(part)).length <= limits.pathPositions, {
      message: `has more than ${limits.pathPositions} numeric parts; compare a place less deep`,
      path: ['path'],
    })
    .optional(),
  /** Part of the id, dedupe key, error or payload text; case does not matter for ASCII. */
  search: storable(limits.searchLength).optional(),
  error: storable(limits.searchLength).optional(),
  /** Created in [from, to). */
  from: instant.optional(),
  to: instant.optional(),
})

export const listInput = jobFilter
  .extend({
    sort: z.enum(['newest', 'oldest', 'claim']).default('newest'),
    limit: z.int().min(1).max(limits.list).default(50),
    cursor: z.string().max(200).optional(),
    page: z.int().min(1).max(limits.offset).optional(),
    offset: z.int().min(0).max(limits.offset).optional(),
    /** Bodies can be large: asked for explicitly. */
    payloads: z.boolean().default(false),
  })
  .refine((input) => [input.cursor, input.page, input.offset].filter((given) => given !== undefined).length <= 1, {
    message: 'give one of cursor, page and offset',
    path: ['cursor'],
  })
  .refine((input) => ((input.page ?? 1) - 1) * input.limit <= limits.offset, {
    message: `reaches past the first ${limits.offset} jobs; follow nextCursor instead`,
    path: ['page'],
  })

export const cleanupInput = z.strictObject({
  olderThanMs: z.int().min(0).max(limits.retentionMs).optional(),
  status: z
    .array(z.enum(['completed', 'failed', 'cancelled']))
    .min(1)
    .optional(),
  type: typeName.optional(),
})

export const resultInput = z.strictObject({
  ids: z.array(jobId).min(1).max(limits.results),
  waitMs: z.int().min(0).max(limits.waitMs).default(0),
})

export const BULK_ACTIONS = ['retry', 'runNow', 'cancel', 'remove'] as const
export type BulkAction = (typeof BULK_ACTIONS)[number]

export const bulkInput = z.strictObject({
  action: z.enum(BULK_ACTIONS),
  filter: jobFilter,
  /** How long `undo` stays possible; a remove waits this long before it starts. */
  undoMs: z.int().min(0).max(60_000).default(10_000),
})

export type EnqueueInput = z.input<typeof enqueueInput>
export type ClaimInput = z.input<typeof claimInput>
export type CompleteInput = z.input<typeof completeInput>
export type FailInput = z.input<typeof failInput>
export type ReleaseInput = z.input<typeof releaseInput>
export type SettleInput = z.input<typeof settleInput>
export type ExchangeInput = z.input<typeof exchangeInput>
export type HeartbeatInput = z.input<typeof heartbeatInput>
export type ProgressInput = z.input<typeof progressInput>
export type LogInput = z.input<typeof logInput>
export type JobFilter = z.output<typeof jobFilter>
export type ListInput = z.input<typeof listInput>
export type ListParams = z.output<typeof listInput>
export type CleanupInput = z.input<typeof cleanupInput>
export type ResultInput = z.input<typeof resultInput>
export type BulkInput = z.input<typeof bulkInput>
