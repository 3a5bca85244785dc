/** What anybody may ask. */
import { z } from 'zod'
import { limits } from '../limits.ts'
import { isStorable } from '../text.ts'
import { instant, jobId, rows, statusList, storable, typeName, waitMs, workerName } from './fields.ts'

const jsonScalar = z.union([
  z.string().max(limits.keyLength).refine(isStorable, 'contains a NUL or a lone surrogate'),
  z.number(),
  z.boolean(),
  z.null(),
])

/** Which jobs: shared by list, export and bulk. */
export const jobFilter = z.strictObject({
  /** Only these; ids that no job has are passed over. */
  ids: z.array(jobId).min(1).max(limits.filterIds).optional(),
  /** The last characters of the id: people are shown the last eight. */
  idEnd: z
    .string()
    .regex(/^[\da-f-]{4,36}$/, 'must be the last 4 to 36 characters of an id, in lower case')
    .optional(),
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
  /** Part of the id, type, dedupe key, error or payload text; case does not matter for ASCII. */
  search: storable(limits.searchLength).optional(),
  error: storable(limits.searchLength).optional(),
  /** The last attempt is over, and its error belongs to this failure group; a message without text has the key ''. */
  errorKey: z
    .string()
    .max(limits.errorKeyLength)
    .refine(isStorable, 'contains a NUL or a lone surrogate; remove it')
    .optional(),
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

export const resultInput = z.strictObject({
  ids: z.array(jobId).min(1).max(limits.results),
  waitMs,
})

/** Of procedures that need none: what somebody sends by mistake is not passed over in silence. */
export const noInput = z.strictObject({}).optional()
/** One job, or one bulk operation. */
export const idInput = z.strictObject({ id: jobId })
export const typeInput = z.strictObject({ name: typeName })
export const statsInput = z.strictObject({ type: typeName.optional() })
/** The last so many minutes, at most a day of them; `together`: one row a minute for all types, with empty histograms. */
export const historyInput = z.strictObject({
  minutes: rows(60, 1_440),
  type: typeName.optional(),
  together: z.boolean().default(false),
})
/** The last so many minutes that are over. */
export const depthsInput = z.strictObject({ minutes: rows(60, 1_440), type: typeName.optional() })
/** `after` is the id of the last line you have. */
export const logsInput = z.strictObject({ id: jobId, after: z.int().min(0).default(0), limit: rows(200, 1_000) })
export const failureGroupsInput = z.strictObject({ type: typeName.optional(), limit: rows(100, 500) })
/** Newest first; `before` is the id of the last entry you have. */
export const auditTrailInput = z.strictObject({
  target: storable(limits.keyLength).optional(),
  before: z.int().min(1).optional(),
  limit: rows(100, 500),
})
/** Where an event stream goes on; tRPC clients send it by themselves when they reconnect. */
export const eventsInput = z.strictObject({ lastEventId: z.string().max(100).nullish() }).optional()

export type JobFilter = z.output<typeof jobFilter>
export type ListInput = z.input<typeof listInput>
export type ListParams = z.output<typeof listInput>
export type ResultInput = z.input<typeof resultInput>
export type IdInput = z.input<typeof idInput>
export type TypeInput = z.input<typeof typeInput>
export type StatsInput = z.input<typeof statsInput>
export type HistoryInput = z.input<typeof historyInput>
export type DepthsInput = z.input<typeof depthsInput>
export type LogsInput = z.input<typeof logsInput>
export type FailureGroupsInput = z.input<typeof failureGroupsInput>
export type AuditTrailInput = z.input<typeof auditTrailInput>
